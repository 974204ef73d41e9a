#!/bin/sh
# OpenShift starts containers with a user ID that has no entry in /etc/passwd, but PostgreSQL needs a username.
if ! getent passwd "$(id -u)" >/dev/null; then
  sed '/^glacis:/d' /etc/passwd >/tmp/passwd
  echo "glacis:x:$(id -u):$(id -g)::/data:/usr/sbin/nologin" >>/tmp/passwd
  export LD_PRELOAD=libnss_wrapper.so NSS_WRAPPER_PASSWD=/tmp/passwd NSS_WRAPPER_GROUP=/etc/group
fi
exec node apps/server/src/main.ts "$@"
