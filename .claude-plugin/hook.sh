#!/bin/sh
# A hook of the plugin: calls the program that `install --plugin` wrote down. Without one it reads its input and passes.
# On Windows Claude Code runs it in Git Bash, where HOME need not be the user's own folder.
home=$HOME
[ "$OS" = Windows_NT ] && home=${USERPROFILE:-$HOME}
data=${NOKORI_DATA_DIR:-$home/.nokori}
case $data in "~"/* | "~\\"*) data=$home/${data#??} ;; esac
record=$data/plugin_program
if [ -r "$record" ]; then
    { IFS= read -r python; IFS= read -r manage; } <"$record"
    [ -x "$python" ] && [ -f "$manage" ] && exec "$python" -I -S "$manage" hook "$1"
fi
cat >/dev/null
