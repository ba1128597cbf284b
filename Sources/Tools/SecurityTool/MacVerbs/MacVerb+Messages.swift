/// The verb about signed and enveloped messages.
extension MacVerb {
    static let messages = [
        MacVerb(
            name: "cms", usage: "[-D|-S|-E|-O] [options...]", summary: "Signs, envelops and reads messages of CMS.",
            options: [
                MacOption("D", "Reads a message: verifies its signatures, or decrypts it."),
                MacOption("S", "Makes a signed message."), MacOption("E", "Makes an enveloped message."),
                MacOption("O", "Makes a message of certificates alone."),
                MacOption("C", "Fails: messages are not encrypted with the key of another one here."),
                MacOption("c", .one("file"), isFile: true, "With -D: what was signed, where the message has it not."),
                MacOption("h", .one("level"), "With -D: says what the message is, in lines before its content."),
                MacOption("n", "With -D: leaves the content out."),
                MacOption(
                    "r", .one("recipient,..."),
                    "With -E and -O: whose certificates, by e-mail addresses or whole names."),
                MacOption("G", "With -S: says when it was signed."),
                MacOption("H", .one("hash"), "With -S: SHA1, SHA256, SHA384 or SHA512; SHA256 without it."),
                MacOption("N", .one("name"), "With -S: who signs, by whole name or e-mail address."),
                MacOption("Z", .one("id"), "With -S: who signs, by subject key identifier in hexadecimal digits."),
                MacOption("P", "With -S: says by what the signer can be written to."),
                MacOption("T", "With -S: leaves the content out."),
                MacOption(
                    "Y", .one("name"), "With -S: names the certificate that answers are to be for; NONE for none."),
                MacOption("e", .one("file"), isFile: true, "Fails, as -C does."),
                MacOption("k", .one("keychain"), "The keychain; without it those that are searched."),
                MacOption("i", .one("file"), isFile: true, "The input; standard input without it."),
                MacOption("o", .one("file"), isFile: true, "The output; standard output without it."),
                MacOption(
                    "p", .one("password"),
                    "Unlocks the keychain, the default one without -k; every process can read it."),
                MacOption("u", .one("usage"), "With -D: what the signers' certificates have to be good for, 0 to 11."),
                MacOption("s", "Is read over, as is -v."), MacOption("v", "Is read over."),
            ], run: CMSVerb.run)
    ]
}
