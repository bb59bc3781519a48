#!/bin/sh
# A bot that answers the greeting, and leaves every other answer to a child that outlives it.
read -r line
# The shell gives its background no standard input of its own.
exec 3<&0
while read -r line; do
    echo move
done <&3 &
echo ready
# The answer is read before this process ends.
sleep 0.1
