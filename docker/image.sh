#!/bin/sh
# SPDX-License-Identifier: MIT
#
# image.sh ARCHIVE FOLDER: the files of the image, from an archive of ./dev package and the system that this runs in.
# Besides the program: the shared libraries that it needs, certificates of well-known authorities for connections to other
# servers, busybox, and the user "shelf".
set -eu
archive=$1
image=$2
rm -rf "$image"
umask 022
mkdir -p "$image/bin" "$image/etc/ssl/certs" "$image/usr/local/bin" "$image/usr/local/share/doc" "$image/var/lib/dpkg/status.d"

tar -xzf "$archive" -C "$image/usr/local" --strip-components=1 --no-same-owner --wildcards '*/bin/perfshelf' '*/share/doc'
program=$image/usr/local/bin/perfshelf
ldd "$program" | grep -o '/[^ ]*' | sort -u | while read -r library; do
    # The path stays: the loader looks there, and the program names the loader.
    mkdir -p "$image${library%/*}"
    cp -L "$library" "$image$library"
done

cp -L "$(command -v busybox)" "$image/bin/busybox"
for command in sh cat find id ls sleep vi wget; do
    ln -s busybox "$image/bin/$command"
done
cp -L /etc/ssl/certs/ca-certificates.crt "$image/etc/ssl/certs"

# Programs that look for known vulnerabilities read these.
cp -L /etc/os-release "$image/etc"
for package in busybox-static ca-certificates libc6; do
    dpkg-query -s "$package" >"$image/var/lib/dpkg/status.d/$package"
    mkdir -p "$image/usr/share/doc/$package"
    cp "/usr/share/doc/$package/copyright" "$image/usr/share/doc/$package"
done

# The number that the user had in images that were made from debian:12-slim, for volumes of these
printf 'root:x:0:0:root:/:/bin/sh\nshelf:x:999:999::/data:/bin/sh\n' >"$image/etc/passwd"
printf 'root:x:0:\nshelf:x:999:\n' >"$image/etc/group"
printf 'hosts: files dns\n' >"$image/etc/nsswitch.conf"
install -d -o 999 -g 999 "$image/data"
install -d -m 1777 "$image/tmp"
