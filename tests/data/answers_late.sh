#!/bin/sh
# A bot that answers the greeting at once, and every other request after 20 ms.
read -r line
echo ready
while read -r line; do
    sleep 0.02
    echo move
done
