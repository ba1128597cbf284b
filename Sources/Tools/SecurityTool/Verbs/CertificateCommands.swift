import ArgumentParser
import ChatelaineMemory
import ChatelaineModel
import Foundation

/// The options for the keychains in which certificates are searched.
struct CertificatePlaceOptions: ParsableArguments {
    @Option(
        name: .long, help: ArgumentHelp("Only those of this file keychain; may be repeated.", valueName: "keychain"),
        completion: .file())
    var keychain: [String] = []

    func search(in context: ToolContext) throws -> CertificateSearch { try CertificateSearch(keychain, in: context) }
}

/// `security certificate list`
struct CertificateListCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists certificates, with how long they are valid.",
        usage: "security certificate list [--keychain keychain]... [--json]",
        discussion:
            "Those of the file keychains of the search list, and of the data protection keychain as far as this tool may see them. What is in them is read by a process that can open nothing; nobody is asked whether they are trusted, which “security certificate show” does."
    )

    @OptionGroup var place: CertificatePlaceOptions
    @Flag(name: .long, help: "An array of objects.")
    var json = false

    func run(in context: ToolContext) throws -> Int32 {
        let certificates = try place.search(in: context).certificates()
        if json {
            var writer = JSONWriter()
            writer.beginArray()
            for certificate in certificates {
                writer.newline()
                try CertificateDescription(certificate: certificate, verdict: nil).write(to: &writer)
            }
            writer.end()
            writer.endArray()
            writer.end()
            try writer.flush(to: context.output)
            return ExitStatus.success
        }
        guard !certificates.isEmpty else { return ExitStatus.success }
        let rows = certificates.map { certificate -> [String] in
            let report = certificate.report
            return [
                Printable.text(certificate.name), Printable.text(report?.issuer.commonName ?? "-"),
                report.map { String(CertificateDescription.date($0.notAfter).prefix(10)) } ?? "-",
                report.map { CertificateDescription.validity($0) } ?? "-", certificate.hasPrivateKey ? "yes" : "no",
                Printable.text(certificate.place?.text ?? "-"),
            ]
        }
        try context.output.write(
            Columns.aligned([["NAME", "ISSUER", "UNTIL", "VALIDITY", "KEY", "KEYCHAIN"]] + rows))
        return ExitStatus.success
    }
}

/// `security certificate show`
struct CertificateShowCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Shows what certificates say, and whether they are trusted.",
        usage:
            "security certificate show certificate [--keychain keychain]... [--policy policy] [--name name] [--json]",
        discussion:
            "A certificate is a path to a file of PEM or DER, or SHA-256 or SHA-1 of a certificate of a keychain in hexadecimal digits, or a part of its names. Of a file the first certificate is judged with the others as its issuers. A verdict is by the basic policy unless another is named."
    )

    @Argument(help: "A file, a digest or a name.", completion: .file())
    var certificate: String
    @OptionGroup var place: CertificatePlaceOptions
    @Option(name: .long, help: "\(TrustWords.allPolicies).")
    var policy = "basic"
    @Option(name: .long, help: "The host name or e-mail address that it has to be for.")
    var name: String?
    @Flag(name: .long, help: "An array of objects.")
    var json = false

    func run(in context: ToolContext) throws -> Int32 {
        let purpose: TrustPolicy.Purpose
        do { purpose = try TrustWords.policy(policy) } catch {
            throw ToolError.usage(error.text ?? "that is no policy")
        }
        let descriptions = try chosen(context).map { (each) throws(KeychainError) in
            var question = TrustQuestion(each.chain, policies: [TrustPolicy(purpose, name: name)])
            // A command that shows certificates must not wait for servers.
            question.allowsFetching = false
            try question.checkSize()
            return CertificateDescription(
                certificate: each.certificate, verdict: try context.keychain.evaluate(question))
        }
        if json {
            var writer = JSONWriter()
            writer.beginArray()
            for description in descriptions {
                writer.newline()
                try description.write(to: &writer)
            }
            writer.end()
            writer.endArray()
            writer.end()
            try writer.flush(to: context.output)
        } else {
            try context.output.write(try descriptions.map { try $0.block() }.joined(separator: "\n"))
        }
        return ExitStatus.success
    }

    /// The selected certificates, with their possible issuers.
    private func chosen(
        _ context: ToolContext
    ) throws -> [(certificate: StoredCertificate, chain: [[UInt8]])] {
        let search = try place.search(in: context)
        if place.keychain.isEmpty, certificate.contains("/") || FileManager.default.fileExists(atPath: certificate) {
            let files = try PEMFile.certificates(certificate)
            let all = try search.certificates(files)
            guard all.contains(where: { $0.report != nil }) else {
                throw ToolError.failure(
                    "\(certificate) has no certificate that can be read; “security import” reads PKCS#12 and keys")
            }
            return try all.enumerated().map { (index, read) throws(KeychainError) in
                (read, index == 0 ? try IssuerCandidates(all).chain(of: read) : [read.der])
            }
        }
        let all = try search.certificates()
        let found = try CertificateWord(text: certificate).matching(all)
        guard !found.isEmpty else {
            throw KeychainError(
                .itemNotFound, "no certificate of these keychains has that name or digest, and there is no such file")
        }
        let issuers = IssuerCandidates(all)
        return try found.map { (certificate) throws(KeychainError) in
            (certificate, try issuers.chain(of: certificate))
        }
    }
}

/// `security certificate add`
struct CertificateAddCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Adds certificates to a keychain.",
        usage: "security certificate add file... [--keychain keychain]",
        discussion:
            "Files of PEM may have several certificates. They go into the data protection keychain unless a file keychain is named. Adding trusts nothing: “security add-trusted-cert” does. What is there already stays."
    )

    @Argument(help: "Files of PEM or DER.", completion: .file())
    var files: [String]
    @Option(name: .long, help: "A file keychain.", completion: .file())
    var keychain: String?

    func run(in context: ToolContext) throws -> Int32 {
        let path = try keychain.map { (name) throws(KeychainError) in try context.path(ofKeychain: name) }
        var added = 0
        for file in files {
            for certificate in try PEMFile.certificates(file) {
                do throws(KeychainError) {
                    let item = try NewCertificate.item(certificate)
                    if let path {
                        _ = try context.keychain.add(item, to: path)
                    } else {
                        _ = try context.keychain.add(item)
                    }
                    added += 1
                } catch {
                    guard error.status == .duplicateItem else { throw error }
                    context.complain("\(file): a certificate is in the keychain already")
                }
            }
        }
        try context.output.write("\(Quantity.count(added, "certificate")) added\n")
        return ExitStatus.success
    }
}

/// Makes a new item for a certificate.
enum NewCertificate {
    static func item(_ der: [UInt8]) throws(KeychainError) -> NewItem {
        try QueryParser.newItem([
            ("class", .text(ItemClass.certificate.name)), ("v_Ref", .certificate(der)),
        ])
    }
}

/// `security certificate delete`
struct CertificateDeleteCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Deletes certificates, and leaves their keys.",
        usage: "security certificate delete certificate [--keychain keychain]... [--all]",
        discussion:
            "A certificate is named as for “security certificate show”. Where several match it asks at the terminal first, and without a terminal it deletes none, unless --all says that all are meant."
    )

    @Argument(help: "A digest or a name.")
    var certificate: String
    @OptionGroup var place: CertificatePlaceOptions
    @Flag(name: .long, help: "Every certificate that matches.")
    var all = false

    func run(in context: ToolContext) throws -> Int32 {
        let search = try place.search(in: context)
        let found = try CertificateWord(text: certificate).matching(try search.certificates())
        guard !found.isEmpty else {
            throw KeychainError(.itemNotFound, "no certificate of these keychains has that name or digest")
        }
        try confirm(found, in: context)
        for certificate in found {
            guard let item = certificate.item else { continue }
            try search.delete(item)
            try context.output.write("deleted \(try Self.line(certificate))\n")
        }
        try context.output.write("\(Quantity.count(found.count, "certificate")) deleted\n")
        return ExitStatus.success
    }

    /// A line that identifies the certificate, even if several have the same name.
    private static func line(_ certificate: StoredCertificate) throws(KeychainError) -> String {
        let place = certificate.place.map { " of \($0.text)" } ?? ""
        return Printable.text("\(certificate.name), \(try certificate.digest(.sha256))\(place)")
    }

    private func confirm(_ found: [StoredCertificate], in context: ToolContext) throws {
        let count = found.count
        guard count > 1, !all else { return }
        for certificate in found { try context.errors.write("\(try Self.line(certificate))\n") }
        let matches = "\(count) certificates match"
        switch Confirmation(openTerminal: context.openTerminal).ask("\(matches). Delete them all?") {
        case true?: return
        case false?: throw ToolError.failure("nothing was done")
        case nil: throw ToolError.failure("\(matches); name one by its SHA-256, or say --all to delete them all")
        }
    }
}
