#!/bin/sh
# train.sh JAR DIRECTORY   starts the server once and leaves in DIRECTORY what makes its next start faster, and
# java.options, the arguments of java that use it.
set -eu
jar=$1
directory=$2

mkdir -p "$directory"
feature=$(java -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java.specification.version = //p')
if [ "$feature" -ge 25 ]; then
  record=-XX:AOTCacheOutput=$directory/server.aot
  replay=-XX:AOTCache=$directory/server.aot
else
  record=-XX:ArchiveClassesAtExit=$directory/server.jsa
  replay=-XX:SharedArchiveFile=$directory/server.jsa
fi

log=$(mktemp)
# As the image starts it, so that what is learnt has the login too.
export SPRING_PROFILES_ACTIVE=secured SPRING_SECURITY_USER_PASSWORD=none
java "$record" -jar "$jar" --server.address=127.0.0.1 --server.port=0 >"$log" 2>&1 &
server=$!
# Said once it answers.
until grep -q 'Look at http' "$log"; do
  if ! kill -0 "$server" 2>/dev/null; then
    cat "$log"
    exit 1
  fi
  sleep 1
done
kill "$server"
# 143 is an end on request. What is recorded is written after it.
wait "$server" || [ $? -eq 143 ]
test -s "${replay#*=}"
echo "$replay" >"$directory/java.options"
