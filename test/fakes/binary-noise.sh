#!/bin/sh
# Bytes that are no text: NUL, invalid UTF-8, a CR, half a character at the very end.
printf 'a\000b\377\376c\r\n\033[31mred\033[0m\n\303'
printf 'warning: \033[1;31mbad\033[0m\377\000\r\nlast \303' >&2
