# Ends process groups, and what they have started, once the process at the other end of stdin is gone.
# It is told `+ GROUP BIRTH` and `- GROUP`; a birth is that of the leader in ticks since the start of the system, or 0.
trap '' HUP INT QUIT TERM
exec 3<&- 4<&- 5<&- 6<&- 7<&- 8<&- 9<&-

trees=' '
while read -r what group birth; do
    case $what in
    +) trees="$trees$group:$birth " ;;
    -) case $trees in *" $group:"*) trees=${trees%%" $group:"*}' '${trees#*" $group:"*" "} ;; esac ;;
    esac
done
[ "$trees" = ' ' ] && exit

# What the system says of a process, if it says anything. The name comes first, and may have anything in it.
look() {
    read -r line <"/proc/$1/stat" || return 1
    set -- ${line##*") "}
    state=$1 parent=$2 group=$3 session=$4 birth=${20}
}

# Whether a number is not a stranger's who was given it after it had become free.
is_ours() {
    look "$1" || return 0
    [ "$2" = 0 ] || [ "$2" = "$birth" ]
}

# Finds who belongs to the groups, and whom those have started, whatever groups and sessions they have gone to.
found=' '
find_all() {
    all=
    for file in /proc/[0-9]*/stat; do
        pid=${file#/proc/}
        pid=${pid%/stat}
        look "$pid" && all="$all $pid:$birth:$parent:$group:$session"
    done
    more=yes
    while [ "$more" ]; do
        more=
        for entry in $all; do
            pid=${entry%%:*} rest=${entry#*:}
            birth=${rest%%:*} rest=${rest#*:}
            parent=${rest%%:*} rest=${rest#*:}
            group=${rest%%:*} session=${rest#*:}
            case $found in *" $pid:"*) continue ;; esac
            case $found$trees in
            *" $parent:"* | *" $group:"* | *" $session:"*) ;;
            *) continue ;;
            esac
            [ "$pid" = $$ ] && continue
            found="$found$pid:$birth:$group "
            more=yes
        done
    done
}

tell() {
    for tree in $trees; do
        is_ours "${tree%%:*}" "${tree#*:}" && kill -s "$1" -- "-${tree%%:*}"
    done
    for entry in $found; do
        case $trees in *" ${entry##*:}:"*) continue ;; esac
        runs "$entry" && kill -s "$1" "${entry%%:*}"
    done
}

runs() {
    rest=${1#*:}
    look "${1%%:*}" && [ "$birth" = "${rest%%:*}" ] && [ "$state" != Z ]
}

is_left() {
    for tree in $trees; do
        kill -s 0 -- "-${tree%%:*}" && return
    done
    for entry in $found; do
        runs "$entry" && return
    done
    return 1
}

# Gives them so many tenths of a second.
wait_for_them() {
    count=0
    while [ $count -lt "$1" ]; do
        is_left || exit
        sleep 0.1 || sleep 1
        count=$((count + 1))
    done
}

for tree in $trees; do
    is_ours "${tree%%:*}" "${tree#*:}" || trees=${trees%%" $tree "*}' '${trees#*" $tree "}
done
find_all
# The end of their stdin is the first that they hear of it.
wait_for_them 4
tell TERM
wait_for_them 9
find_all
tell KILL
