#!/bin/sh
exec tini -g -- cox container-run "$@"
