#!/usr/bin/env bash
# Every reference case on gtx1080ti: see _cases.sh.
. "$(dirname "$0")/_cases.sh" gtx1080ti
