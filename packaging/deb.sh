#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# deb.sh STAGE VERSION ARCHITECTURE OUT.deb: the package of the files that were installed in STAGE. ARCHITECTURE is amd64 or arm64.
# The server is not started when the package is installed: most people want the command, and it has its own port 7700.
# Removing and purging keep the shelf in /var/lib/perfshelf.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
stage=$1
version=$2
architecture=$3
out=$4
maintainer="perfshelf maintainers <maintainers@perfshelf.example>"
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
chmod 755 "$root"
doc=$root/usr/share/doc/perfshelf

mkdir -p "$root/DEBIAN" "$root/usr" "$root/etc/perfshelf" "$root/lib/systemd/system" "$root/usr/share/lintian/overrides"
cp -r "$stage/." "$root/usr"
mkdir "$root/usr/share/zsh/vendor-completions"
mv "$root/usr/share/zsh/site-functions/_perfshelf" "$root/usr/share/zsh/vendor-completions"
rmdir "$root/usr/share/zsh/site-functions"
mv "$doc/LICENSE" "$doc/copyright"
printf '\nThe licences of the libraries inside the program are in the folder licences, those of the page in licences.txt.\n' >>"$doc/copyright"
rm "$doc/perfshelf.service" "$doc/serve.conf"
cp "$here/perfshelf.service" "$root/lib/systemd/system"
cp "$here/serve.conf" "$root/etc/perfshelf"
cat >"$doc/changelog" <<EOF
perfshelf ($version) unstable; urgency=medium

  * What changed is described in the releases of perfshelf.

 -- $maintainer  $(date -uR -d "@$SOURCE_DATE_EPOCH")
EOF
gzip -9n "$doc/changelog" "$root"/usr/share/man/man*/*
cat >"$root/usr/share/lintian/overrides/perfshelf" <<EOF
# One program that runs on every Debian from 11 on: it contains the libraries that it uses. SOURCES lists them.
perfshelf: embedded-library *
EOF

cat >"$root/DEBIAN/control" <<EOF
Package: perfshelf
Version: $version
Architecture: $architecture
Maintainer: $maintainer
Installed-Size: $(du -sk --apparent-size "$root" | cut -f1)
Depends: libc6 (>= 2.31)
Recommends: ca-certificates
Section: devel
Priority: optional
Description: shelf for performance profiles
 perfshelf reads the profiles that Python tools write, shows each in the
 browser with numbers that equal the tool's own, and compares runs until it
 is clear what changed. It reads import logs, cProfile, line_profiler,
 memory_profiler, PyTorch traces, Nsight Systems, py-spy and others.
EOF
echo /etc/perfshelf/serve.conf >"$root/DEBIAN/conffiles"
cat >"$root/DEBIAN/postinst" <<'EOF'
#!/bin/sh
set -e
if [ "$1" = configure ] && [ -d /run/systemd/system ]; then
    systemctl --system daemon-reload >/dev/null || true
    if [ -n "$2" ]; then
        deb-systemd-invoke try-restart perfshelf.service >/dev/null || true
    fi
fi
EOF
cat >"$root/DEBIAN/prerm" <<'EOF'
#!/bin/sh
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
    deb-systemd-invoke stop perfshelf.service >/dev/null || true
fi
EOF
cat >"$root/DEBIAN/postrm" <<'EOF'
#!/bin/sh
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
    systemctl --system daemon-reload >/dev/null || true
fi
if [ "$1" = purge ] && command -v deb-systemd-helper >/dev/null; then
    deb-systemd-helper purge perfshelf.service >/dev/null || true
fi
EOF
chmod 755 "$root"/DEBIAN/{postinst,prerm,postrm}
(cd "$root" && find etc lib usr -type f ! -path etc/perfshelf/serve.conf -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
find "$root" -type d -exec chmod 755 {} +
find "$root" -type f -perm -100 -exec chmod 755 {} +
find "$root" -type f ! -perm -100 -exec chmod 644 {} +
find "$root" -exec touch -hd "@$SOURCE_DATE_EPOCH" {} +
dpkg-deb --root-owner-group -Zxz --build "$root" "$out" >/dev/null
