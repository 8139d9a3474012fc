#!/bin/sh
# Makes what the stack must not have twice the same: an operator token and the broker's passwords. Keeps what is there.
set -eu
cd "$(dirname "$0")"
umask 077
mkdir -p secrets
random() { head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n'; }
[ -s secrets/operator.token ] || random > secrets/operator.token
[ -s secrets/nats.password ] || random > secrets/nats.password
password=$(cat secrets/nats.password)
printf 'authorization { users: [ { user: "holdfast", password: "%s" } ] }\n' "$password" > secrets/nats-users.conf
# The broker's user in its container is not ours.
chmod 0644 secrets/nats-users.conf
url="nats://holdfast:$password@nats:4222"
for service in session-supervisor task-service reaper; do printf 'HOLDFAST_NATS_URL=%s\n' "$url" > "secrets/$service.env"; done
printf 'HOLDFAST_NATS_URL=%s\nHOLDFAST_OPERATOR_TOKEN=%s\n' "$url" "$(cat secrets/operator.token)" > secrets/gateway.env
echo "The operator token is in deploy/secrets/operator.token"
