#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# libraries.sh DOWNLOADS ROOT ARCHITECTURE: the folder that the program of a package is compiled and linked in, for x86_64 or aarch64.
# ROOT has the C library of Debian 11 and, as static libraries only, everything else that the program uses; ROOT/licences has the
# licence of each. DOWNLOADS is what debian.py fetched.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
downloads=$(realpath "$1")
root=$(realpath -m "$2")
work=$root.work
architecture=$3
debian=$(dpkg-architecture -f -T "$architecture-linux-gnu" -qDEB_TARGET_ARCH)
triplet=$architecture-linux-gnu
lib=/usr/lib/$triplet
export SOURCE_DATE_EPOCH=0 LC_ALL=C TZ=UTC
jobs=-j$(nproc)

# Functions that the program does not use are left out when it is linked: each has a section of its own.
# The inner loops of the TLS libraries are assembly: their C code is compiled for size.
cc="package-cc"
common="-fPIC -ffunction-sections -fdata-sections -fno-asynchronous-unwind-tables -fstack-protector-strong -D_FORTIFY_SOURCE=2"
fast="-O2 -ffp-contract=off $common" # sums are the same on all processors
small="-Os $common"
ldflags=-fuse-ld=lld
export PKG_CONFIG_LIBDIR=$root$lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root

# pinned KIND: release, package and hash of each row of pins.txt, of packages those for this architecture
pinned() { awk -v kind="$1" -v ours=":$debian\$" '$2 == kind && (kind == "dsc" || sub(ours, "", $3)) { print $1, $3, $5 }' "$here/pins.txt"; }

unpack_packages() {
    local release package hash shared
    while read -r release package hash; do
        # The linker takes a shared library where there is one: only those of the C library shall be.
        [ "$release" = bullseye ] && shared= || shared='*.so'
        dpkg-deb --fsys-tarfile "$downloads/$hash"/*.deb | tar -x -C "$root" --exclude="$shared"
    done < <(pinned deb)
    # A link to /lib/libm.so.6 means the one in this folder.
    find "$root" -type l -lname '/*' | while read -r link; do
        ln -sfr "$root$(readlink "$link")" "$link"
    done
    mkdir "$root/licences"
    for package in $(pinned deb | awk '{ print $2 }'); do
        cp -L "$root/usr/share/doc/$package/copyright" "$root/licences/$package"
    done
}

# source_of PACKAGE: unpacks its source with the patches of Debian, and enters it.
source_of() {
    local hash
    hash=$(pinned dsc | awk -v package="$1" '$2 == package { print $3 }')
    rm -rf "${work:?}/$1"
    dpkg-source --no-check --extract "$downloads/$hash"/*.dsc "$work/$1" >"$work/$1.log"
    cd "$work/$1"
    cp debian/copyright "$root/licences/$1"
    # Patches change files of autoconf; equal times keep make from writing the scripts again.
    find . -type f -exec touch -d @0 {} +
}

configure() {
    ./configure --prefix=/usr --libdir=$lib --disable-shared --enable-static --build="$(uname -m)-pc-linux-gnu" --host="$triplet" "$@" \
        CC="$cc" CFLAGS="$small" LDFLAGS="$ldflags" || {
        tail -n 30 config.log
        return 1
    }
}

build_sqlite() {
    source_of sqlite3
    ./configure --disable-tcl --disable-shared
    make sqlite3.c
    # What Debian's has and the program uses. Sessions record what changed in a catalog.
    # shellcheck disable=SC2086
    $cc $fast -c sqlite3.c -o sqlite3.o -DSQLITE_THREADSAFE=1 -DSQLITE_SECURE_DELETE -DSQLITE_ENABLE_COLUMN_METADATA \
        -DSQLITE_ENABLE_MATH_FUNCTIONS -DSQLITE_ENABLE_PREUPDATE_HOOK -DSQLITE_ENABLE_SESSION -DSQLITE_USE_URI \
        -DSQLITE_MAX_VARIABLE_NUMBER=250000 -DSQLITE_MAX_MMAP_SIZE=0x7fff0000 -DSQLITE_LIKE_DOESNT_MATCH_BLOBS \
        -DSQLITE_OMIT_LOAD_EXTENSION -DSQLITE_OMIT_LOOKASIDE -DHAVE_ISNAN=1 -DHAVE_USLEEP=1 -DHAVE_FDATASYNC=1 \
        -DHAVE_LOCALTIME_R=1 -DHAVE_GMTIME_R=1 -DHAVE_MALLOC_USABLE_SIZE=1 -DHAVE_PREAD64=1 -DHAVE_PWRITE64=1
    install_library sqlite3 sqlite3.o
    cp sqlite3.h sqlite3ext.h "$root/usr/include"
}

# install_library NAME OBJECT...: with a file for pkg-config
install_library() {
    local name=$1
    shift
    rm -f "$root$lib/lib$name.a"
    ar rcsD "$root$lib/lib$name.a" "$@"
    printf 'Name: %s\nDescription: %s\nVersion: 0\nLibs: -L%s -l%s\n' "$name" "$name" "$lib" "$name" >"$root$lib/pkgconfig/$name.pc"
}

build_cjson() {
    source_of cjson
    # shellcheck disable=SC2086
    $cc $fast -c cJSON.c -o cJSON.o
    install_library cjson cJSON.o
    mv "$root$lib/pkgconfig/cjson.pc" "$root$lib/pkgconfig/libcjson.pc"
    mkdir -p "$root/usr/include/cjson"
    cp cJSON.h "$root/usr/include/cjson"
}

build_isal() {
    source_of libisal
    # Its assembly for Arm is written for GNU's assembler: clang's refuses 64-bit registers as operands of 32-bit extensions.
    # shellcheck disable=SC2086
    make $jobs -f Makefile.unx units="igzip crc" host_cpu="$architecture" ASFLAGS_aarch64="-c -fno-integrated-as" CC="$cc $fast" lib
    cp bin/isa-l.a "$root$lib/libisal.a"
    mkdir -p "$root/usr/include/isa-l"
    cp include/*.h "$root/usr/include/isa-l"
}

# The HTTPS of libmicrohttpd
build_gnutls() {
    source_of gnutls28
    # OpenSSL has the same assembly with other data beside it. The linker would take one of both for both libraries.
    sed -n 's/^\.globl[[:space:]]*\(\w*\).*/s,\\b\1\\b,gnutls_\1,g/p' lib/accelerated/*/elf/*.s | sort -u >renamed
    sed -i -f renamed lib/accelerated/*/*.[ch] lib/accelerated/*/elf/*.s
    configure --without-p11-kit --with-included-unistring --without-idn --without-tpm --without-tpm2 --without-zlib --without-brotli \
        --without-zstd --without-libdl --disable-doc --disable-tools --disable-tests --disable-cxx --disable-guile --disable-nls --disable-libdane \
        --disable-gost --disable-srp-authentication --disable-heartbeat-support --disable-ssl2-support --disable-ssl3-support \
        --disable-dtls-srtp-support --with-default-trust-store-file=/etc/ssl/certs/ca-certificates.crt
    # shellcheck disable=SC2086
    make $jobs -C gl && make $jobs -C lib
    make -C lib install DESTDIR="$root"
}

# The HTTPS of curl and the encryption of libpq, which supports no other library
build_openssl() {
    source_of openssl
    local without=(afalgeng aria async autoload-config bf blake2 camellia capieng cast cmp cms comp ct devcryptoeng dgram dsa dso dtls
        ec2m engine gost idea legacy md4 mdc2 module multiblock nextprotoneg ocb ocsp padlockeng psk rc2 rc4 rc5 rfc3779 rmd160 scrypt
        seed shared siphash siv sm2 sm3 sm4 srp srtp ssl3 ssl-trace static-engine tests ts ui-console weak-ssl-ciphers whirlpool)
    # Without a table of 150 KB that makes P-256 faster: a client needs it a few times for each connection.
    sed -i '/^ *\$EC\(ASM\|DEF\)_x86_64=/s/ecp_nistz256\.c ecp_nistz256-x86_64\.s\|ECP_NISTZ256_ASM//' crypto/ec/build.info
    # shellcheck disable=SC2086
    CC="$cc" ./Configure "linux-$architecture" --prefix=/usr --libdir="${lib#/usr/}" --openssldir=/etc/ssl "${without[@]/#/no-}" $small $ldflags
    # shellcheck disable=SC2086
    make $jobs build_generated && make $jobs libssl.a libcrypto.a libssl.pc libcrypto.pc
    cp libssl.a libcrypto.a "$root$lib"
    cp libssl.pc libcrypto.pc "$root$lib/pkgconfig"
    cp -r include/openssl "$root/usr/include"
}

build_curl() {
    source_of curl
    local off="" protocol
    for protocol in dict file ftp gopher imap ldap ldaps mqtt pop3 rtsp smb smtp telnet tftp; do off="$off --disable-$protocol"; done
    # shellcheck disable=SC2086
    configure $off --with-openssl --without-brotli --without-gssapi --without-libidn2 --without-libpsl --without-librtmp --without-libssh2 \
        --without-nghttp2 --without-zlib --without-zstd --disable-ares --disable-alt-svc --disable-cookies --disable-doh --disable-hsts \
        --disable-manual --disable-netrc --disable-ntlm --disable-tls-srp --disable-unix-sockets --disable-mime \
        --with-ca-bundle=/etc/ssl/certs/ca-certificates.crt --without-ca-path
    # shellcheck disable=SC2086
    make $jobs -C lib
    make -C lib install DESTDIR="$root"
    make -C include install DESTDIR="$root"
    make install-pkgconfigDATA DESTDIR="$root"
}

build_libpq() {
    source_of postgresql-15
    configure --with-ssl=openssl --without-readline --without-zlib --without-gssapi --without-ldap
    make -C src/backend generated-headers
    # shellcheck disable=SC2086
    make $jobs -C src/port libpgport_shlib.a && make $jobs -C src/common libpgcommon_shlib.a
    # shellcheck disable=SC2086
    make $jobs -C src/interfaces/libpq libpq.a libpq.pc
    cp src/interfaces/libpq/libpq.a src/port/libpgport_shlib.a src/common/libpgcommon_shlib.a "$root$lib"
    sed 's/-lpgcommon/-lpgcommon_shlib/g; s/-lpgport/-lpgport_shlib/g' src/interfaces/libpq/libpq.pc >"$root$lib/pkgconfig/libpq.pc"
    cp src/interfaces/libpq/libpq-fe.h src/interfaces/libpq/libpq-events.h src/include/postgres_ext.h src/include/pg_config_ext.h "$root/usr/include"
}

# build LIBRARY...: one after the other, each in a process of its own, which ends with the first command that fails.
build() {
    local library
    for library; do
        echo "   building $library"
        (set -e; "build_$library") >"$work/$library.out" 2>&1 &
        wait $! && continue
        tail -n 30 "$work/$library.out" >&2
        echo "libraries.sh: $library cannot be built; all of its output is in $work/$library.out" >&2
        exit 1
    done
}

# Most of the time is taken by scripts of autoconf, which use one processor: two builds at a time.
build_both() {
    local failed=0
    (build $1) &
    (build $2) &
    wait -n || failed=1
    wait -n || failed=1
    return $failed
}

# Where two libraries define a function, the linker takes one of the two for both, and says so only if it needs both files.
# Those of gnulib (c_isalpha) are the same in all.
check_names() {
    local library twice
    twice=$(for library in archive bz2 cjson crypto curl gmp gnutls hogweed isal lzma microhttpd nettle pcre2-8 pgcommon_shlib pgport_shlib pq sodium \
        sqlite3 ssl tasn1 z zstd; do
        nm --quiet --extern-only --defined-only "$root$lib/lib$library.a" |
            awk 'NF == 3 && $2 !~ /[VW]/ && $3 !~ /^c_(is|to)/ { print $3 }' | sort -u || exit 1
    done | sort | uniq -d)
    [ -z "$twice" ] && return
    echo "libraries.sh: two libraries define $twice" >&2
    return 1
}

# OpenSSL keeps the command line of the compiler: what names folders of this machine is in a script.
make_compiler() {
    printf '#!/bin/sh\nexec clang --target=%s --sysroot=%s -ffile-prefix-map=%s=. "$@"\n' "$triplet" "$root" "$work" >"$work/bin/$cc"
    chmod +x "$work/bin/$cc"
    PATH=$work/bin:$PATH
}

rm -rf "$root" "$work"
mkdir -p "$root" "$work/bin"
make_compiler
unpack_packages
build_both openssl "sqlite cjson isal gnutls"
build_both curl libpq
check_names
