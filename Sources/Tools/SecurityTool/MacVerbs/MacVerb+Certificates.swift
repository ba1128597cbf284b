/// The verbs about certificates, keys and identities.
extension MacVerb {
    private static let searched = MacOperands.any("keychain")
    private static let passphrase = MacOption(
        "P", .one("passphrase"), "The passphrase, which every process can read; asked for where one is needed.")
    private static let format = MacOption(
        "f", .one("format"), "openssl, openssh1, openssh2, bsafe, raw, pkcs7, pkcs8, pkcs12, netscape, x509 or pemseq.")

    private static func delete(_ name: String, _ summary: String, isOfIdentity: Bool) -> MacVerb {
        MacVerb(
            name: name, usage: "[-h] [-c name] [-Z hash] [-t] [keychain...]", summary: summary,
            options: [
                MacOption("c", .one("name"), "A part of the common name; a whole name wins."),
                MacOption("Z", .one("hash"), "SHA-256 or SHA-1 of the certificate, in hexadecimal digits."),
                MacOption("t", "Removes your own settings of trust in it as well."),
            ], operands: searched
        ) { try CertificateVerbs.delete(isOfIdentity ? .identity : .certificate, $0, $1) }
    }

    static let certificates = [
        MacVerb(
            name: "add-certificates", usage: "[-h] [-k keychain] file...", summary: "Adds certificates to a keychain.",
            options: [MacOption("k", .one("keychain"), "The keychain; the default one without it.")],
            operands: .any("file"), run: CertificateVerbs.add),
        MacVerb(
            name: "find-key", usage: "[options...] [keychain...]", summary: "Shows all keys that match.",
            options: KeyVerbs.options, operands: searched, run: KeyVerbs.find),
        MacVerb(
            name: "set-key-partition-list", usage: "[-S list] [-k password] [options...] [keychain]",
            summary: "Sets the partition list of each key that matches.",
            options: KeyVerbs.options + [
                MacOption("S", .one("list"), "Partition identifiers, with commas between."),
                MacOption(
                    "k", .one("password"),
                    "The keychain's password, which every process can read; asked for without it."),
            ], operands: .atMostOne("keychain"), run: PartitionVerbs.setOfKeys),
        MacVerb(
            name: "find-certificate", usage: "[-h] [-a] [-c name] [-e address] [-m] [-p] [-Z] [keychain...]",
            summary: "Shows the first certificate that matches, or all.",
            options: [
                MacOption("a", "Shows all that match."),
                MacOption("c", .one("name"), "A part of the common name, in whatever case."),
                MacOption("e", .one("address"), "An e-mail address of it."),
                MacOption("m", "Shows its e-mail addresses."),
                MacOption("p", "Shows it as PEM."), MacOption("Z", "Shows its SHA-256 and SHA-1."),
            ], operands: searched, run: CertificateVerbs.find),
        MacVerb(
            name: "find-identity", usage: "[-h] [-p policy] [-s string] [-v] [keychain...]",
            summary: "Lists certificates that have a private key.",
            options: [
                MacOption(
                    "p", .one("policy"),
                    "basic, ssl-client, ssl-server, smime, eap, ipsec, codesigning, sys-default or sys-kerberos-kdc; may be repeated."
                ),
                MacOption("s", .one("string"), "The host name or e-mail address that it has to be for."),
                MacOption("v", "Shows only those that are valid."),
            ], operands: searched, run: IdentityVerb.find),
        delete("delete-certificate", "Deletes a certificate, and leaves its key.", isOfIdentity: false),
        delete("delete-identity", "Deletes a certificate and its private key.", isOfIdentity: true),
        MacVerb(
            name: "set-identity-preference",
            usage: "[-h] [-n] [-c identity] [-s service] [-u usage] [-Z hash] [keychain...]",
            summary: "Sets the identity that is preferred for a service.",
            options: [
                MacOption("n", "Has none be preferred."),
                MacOption("c", .one("identity"), "A part of its common name."),
                MacOption("s", .one("service"), "A URL, a host, an e-mail address or another name."),
                MacOption("u", .one("usage"), "Uses of the key, a number as Apple has it; without it any."),
                MacOption("Z", .one("hash"), "SHA-256 or SHA-1 of its certificate, in hexadecimal digits."),
            ], operands: searched, run: PreferredVerbs.set),
        MacVerb(
            name: "get-identity-preference", usage: "[-h] [-s service] [-u usage] [-p] [-c] [-Z]",
            summary: "Shows the identity that is preferred for a service.",
            options: [
                MacOption("s", .one("service"), "A URL, a host, an e-mail address or another name."),
                MacOption("u", .one("usage"), "Uses of the key, a number as Apple has it; without it any."),
                MacOption("p", "Shows its certificate as PEM."), MacOption("c", "Shows its common name."),
                MacOption("Z", "Shows its SHA-256 and SHA-1."),
            ], run: PreferredVerbs.get),
        MacVerb(
            name: "create-keypair",
            usage:
                "[-h] [-a alg] [-s bits] [-f date] [-t date] [-d days] [-k keychain] [-H] [-A|-T path] [description]",
            summary: "Makes a pair of keys in a keychain.",
            options: [
                MacOption("a", .one("alg"), "rsa or ec; rsa without it."),
                MacOption("s", .one("bits"), "The size of RSA: 2048 without it."),
                MacOption("f", .one("date"), "Fails, as do -t and -d: keys are valid for ever here."),
                MacOption("t", .one("date"), "Fails."), MacOption("d", .one("days"), "Fails."),
                MacOption("k", .one("keychain"), "The keychain; the default one without it."),
                MacOption("H", "Shows the hash of the public key, by which find-key -a finds both."),
            ] + AccessOptions.options, operands: .atMostOne("description"), run: KeyVerbs.create),
        MacVerb(
            name: "export", usage: "[-k keychain] [-t type] [-f format] [-w] [-p] [-P passphrase] [-o file]",
            summary: "Writes certificates and keys of a keychain to a file.",
            options: [
                MacOption("k", .one("keychain"), "The keychain; without it those that are searched."),
                MacOption("t", .one("type"), "certs, allKeys, pubKeys, privKeys, identities or all; all without it."),
                format, MacOption("w", "Encrypts private keys."), MacOption("p", "Writes PEM."),
                MacOption(
                    "P", .one("passphrase"),
                    "The passphrase, which every process can read; asked for where one is needed. Without -f, and for pemseq, it has private keys written as encrypted PKCS#8."
                ),
                MacOption("o", .one("file"), isFile: true, "The file; standard output without it."),
            ], run: ExportVerb.run),
        MacVerb(
            name: "import", usage: "file [-k keychain] [-t type] [-f format] [-w] [-x] [-P passphrase] [options...]",
            summary: "Takes the certificates and keys of a file into a keychain.",
            options: [
                MacOption("k", .one("keychain"), "The keychain; the default one without it."),
                MacOption("t", .one("type"), "What is in it: pub, priv, session, cert or agg."), format,
                MacOption("w", "Its private keys are encrypted."),
                MacOption("x", "Keys never leave the keychain again."), passphrase,
                MacOption("a", .two("name value"), "Fails: items have no extended attributes here."),
            ] + AccessOptions.options, operands: .first("file"), run: ImportVerb.run),
    ]
}
