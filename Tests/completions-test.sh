#!/usr/bin/env bash
# Tests the completions of bash, zsh and fish in those shells.
set -euo pipefail
# shellcheck source=Tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../Tools/common.sh"

completions=$root/Packaging/completions
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# A stand-in for the command: it lists two snapshots, and otherwise prints its arguments.
mkdir "$folder/bin"
cat >"$folder/bin/security" <<'STUB'
#!/bin/sh
if [ "$1 $2" = "snapshot list" ]; then
    printf '%s\n' 'NAME                TAKEN' '20261121T083000Z-1  2026-11-21' '20261120T083000Z-1  2026-11-20'
else
    printf 'GOT<%s>\n' "$*"
fi
STUB
chmod +x "$folder/bin/security"
touch "$folder/program"
export PATH=$folder/bin:$PATH

# Fails unless the completions of the words are as expected; both lists are sorted and separated by blanks.
offers() {
    local shell=$1 expected=$2 actual
    shift 2
    actual=$("complete_$shell" "$@" | LC_ALL=C sort | tr '\n' ' ')
    [ "${actual% }" = "$expected" ] || die "$shell offers for: $*: ${actual% }, and not: $expected"
}

complete_bash() {
    # shellcheck disable=SC2016 # for the inner shell
    bash --norc -c 'set -u; source "$1"; shift
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _security; printf "%s\n" "${COMPREPLY[@]}"' \
        - "$completions/security.bash" "$@"
}
complete_fish() {
    # shellcheck disable=SC2016 # for the inner shell
    fish --no-config -c 'source $argv[1]; complete -C "$argv[2..]"' "$completions/security.fish" "$@" | cut -f 1
}

verbs=(
    acl add-certificates add-generic-password add-internet-password add-trusted-cert app certificate check cms create-keychain create-keypair
    default-keychain delete-certificate delete-generic-password delete-identity delete-internet-password delete-keychain doctor dump-keychain
    dump-trust-settings error export find-certificate find-generic-password find-identity find-internet-password find-key generate-password
    get-identity-preference help import item list-keychains lock lock-keychain login-keychain passcode remove-trusted-cert reset-keychains
    set-generic-password-partition-list set-identity-preference set-internet-password-partition-list set-key-partition-list set-keychain-password
    set-keychain-settings settings show-keychain-info snapshot state status trust-settings-export trust-settings-import unlock unlock-keychain
    user-trust-settings-enable verify-cert
)

# The completions that bash and fish have in common.
common() {
    offers "$1" "${verbs[*]}" security ''
    offers "$1" 'add delete find list show update' security item ''
    offers "$1" 'add delete find list show update' security it ''
    offers "$1" 'set-generic-password-partition-list set-identity-preference set-internet-password-partition-list set-key-partition-list set-keychain-password set-keychain-settings settings show-keychain-info snapshot state status' security help s
    offers "$1" 'lock-keychain' security help lock-
    offers "$1" 'accept' security help ap ac
    offers "$1" '--account' security item add --acco
    offers "$1" '--persistent-ref' security it f --pers
    offers "$1" '' security item list --pers
    offers "$1" 'identity internet' security item find --class i
    offers "$1" '20261120T083000Z-1 20261121T083000Z-1' security snapshot restore 2
}

say "bash"
bash -n "$completions/security.bash"
shellcheck -s bash "$completions/security.bash"
common bash
offers bash '--help --version -h -i -p -q -v' security -
offers bash '-d -h -s' security list-k -
offers bash '' security create-keychain -p ''
offers bash 'identity internet' security item find --class = i
offers bash 'label=' security item update --set la
offers bash '' security item add --service ''
offers bash "$folder/program" security app accept "$folder/p"
offers bash "$folder/program" security add-generic-password -T "$folder/p"

say "fish"
if command -v fish >/dev/null; then
    export HOME=$folder
    fish --no-execute "$completions/security.fish"
    common fish
    offers fish "$folder/program" security app accept "$folder/p"
    offers fish '--class=identity --class=internet' security item find --class=i
else
    echo "SKIPPED: optional: fish is not here"
fi

say "zsh"
if ! command -v zsh >/dev/null; then
    echo "SKIPPED: optional: zsh is not here"
    exit 0
fi
zsh -n "$completions/_security"
cat >"$folder/start.zsh" <<ZSH
fpath=($completions \$fpath)
autoload -Uz compinit && compinit -u -d $folder/dump
PS1= RPS1= PS2=
print READ''Y
ZSH
cat >"$folder/type.zsh" <<'ZSH'
# Types each argument into a shell at a pseudo-terminal, and prints the arguments that the command received.
zmodload zsh/zpty
TERM=vt100 zpty shell zsh -f -i
zpty -w shell "source $1"
zpty -r shell output '*READY*'
shift
for line; do
    zpty -w shell "$line"
    zpty -r shell output '*GOT<*>*'
    print -r -- ${${output##*GOT<}%%>*}
done
zpty -d shell
ZSH
tab=$'\t'
typed=("security item upd$tab" "security it f --pers${tab}ab" "security item add --class int$tab" "security help sn${tab}p$tab"
    "security snapshot restore 20261121$tab" "security item update --set lab${tab}x" "security app accept $folder/prog$tab")
timeout 60 zsh -f "$folder/type.zsh" "$folder/start.zsh" "${typed[@]}" >"$folder/given"
diff - "$folder/given" <<GIVEN || die "zsh completes otherwise"
item update
it f --persistent-ref=ab
item add --class internet
help snapshot purge
snapshot restore 20261121T083000Z-1
item update --set label=x
app accept $folder/program
GIVEN
