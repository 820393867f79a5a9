#!/bin/bash
# A real podman container that runs in the background, for suites that record one.
#   container_run.bash check                                can that be done here? else it says why, and fails
#   container_run.bash start NAME ROOTFS [OPTION...] -- COMMAND...
#       ROOTFS: a folder with the container's files, or - for an empty one that sees this machine's /usr, /etc and /opt
#       read-only: any program installed here runs in it. OPTION: podman's, e.g. -v DIR:DIR; without a --network there is none.
#       prints the lines  name=NAME  id=64 DIGITS  pid=PID (of its first process, here)
#   container_run.bash stop NAME                            ends it and removes every trace
#   container_run.bash crun NAME COMMAND...                 the same without podman: crun alone, and prints the same
#   container_run.bash crun-stop NAME
# crun refuses machines that have cgroups of both versions mounted, so podman gets a mount namespace of its own in which
# there is nothing but cgroup2; the container itself is in no cgroup of its own.
set -eu
scratch=${TMPDIR:-/tmp}/plume-containers-$(id -u)
limits=(--ulimit nofile=1024:1024 --ulimit nproc=1024:1024)

in_own_mounts() {
	unshare --mount bash -c 'umount -R /sys/fs/cgroup 2>/dev/null
		mount -t cgroup2 none /sys/fs/cgroup && exec "$@"' - "$@"
}
in_podman() { in_own_mounts timeout 60 podman --cgroup-manager=cgroupfs "$@"; }

check() {
	for program in podman crun unshare; do
		command -v $program >/dev/null || { echo "$program is not installed"; exit 1; }
	done
	[ "$(id -u)" = 0 ] || { echo "only root may mount cgroup2"; exit 1; }
	in_own_mounts true 2>/dev/null || { echo "cgroup2 cannot be mounted here"; exit 1; }
}

# links of / as this machine has them (bin -> usr/bin), and folders for mounts
make_rootfs() {
	mkdir -p "$1"/{usr,etc,opt,tmp,proc,sys,dev,run,var,root}
	chmod 1777 "$1/tmp"
	for link in bin sbin lib lib32 lib64; do
		[ ! -L "/$link" ] || ln -sfn "$(readlink "/$link")" "$1/$link"
	done
}

start() {
	local name=$1 rootfs=$2 options=()
	shift 2
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	if [ "$rootfs" = - ]; then
		rootfs=$scratch/$name.rootfs
		make_rootfs "$rootfs"
		for folder in usr etc opt; do
			options+=(-v "/$folder:/$folder:ro")
		done
	fi
	[[ " ${options[*]}" == *" --network"* ]] || options+=(--network none)
	local id pid
	id=$(in_podman run -d --name "$name" --cgroups=disabled "${limits[@]}" \
		"${options[@]}" --rootfs "$rootfs" "$@")
	pid=$(in_podman inspect --format '{{.State.Pid}}' "$name")
	printf 'name=%s\nid=%s\npid=%s\n' "$name" "$id" "$pid"
}

stop() {
	in_podman rm -f -t 0 "$1" >/dev/null
	rm -rf "${scratch:?}/$1.rootfs"
}

crun_start() {
	local name=$1 folder
	folder=$scratch/$1.crun
	shift
	make_rootfs "$folder/rootfs"
	(cd "$folder" && rm -f config.json && crun spec)
	perl -MJSON::PP -e '
		my ($file, @command) = @ARGV;
		local $/; open my $in, "<", $file or die; my $c = decode_json(<$in>);
		$c->{process}{args} = \@command; $c->{process}{terminal} = JSON::PP::false; delete $c->{process}{rlimits};
		push @{ $c->{mounts} }, map +{ destination => $_, type => "none", source => $_, options => ["rbind", "ro"] },
			"/usr", "/etc", "/opt";
		$c->{mounts} = [grep { $_->{destination} ne "/sys/fs/cgroup" } @{ $c->{mounts} }];
		open my $out, ">", $file or die; print $out encode_json($c);' "$folder/config.json" "$@"
	in_own_mounts crun --cgroup-manager=disabled run --detach --bundle "$folder" --pid-file "$folder/pid" "$name" \
		</dev/null >"$folder/output" 2>&1 || { cat "$folder/output" >&2; return 1; }
	printf 'name=%s\nid=%s\npid=%s\n' "$name" "$name" "$(cat "$folder/pid")"
}

crun_stop() {
	in_own_mounts crun --cgroup-manager=disabled delete --force "$1"
	rm -rf "${scratch:?}/$1.crun"
}

case $1 in
check) check ;;
start) shift && start "$@" ;;
stop) stop "$2" ;;
crun) shift && crun_start "$@" ;;
crun-stop) crun_stop "$2" ;;
*) sed -n '2,/^set/s/^# \?//p' "$0" && exit 2 ;;
esac
