#!/usr/bin/env bash
# Every reference case on gtx480: see _cases.sh.
. "$(dirname "$0")/_cases.sh" gtx480
