import ChatelaineModel
import Foundation

/// `verify-cert`: evaluates trust in certificates of files.
enum VerifyVerb {
    private static let secondsPerDay = 86_400

    static func verify(_ arguments: MacArguments, _ context: ToolContext) throws -> Int32 {
        guard arguments.operands.isEmpty else {
            throw ToolError.failure(
                "no server is asked for its certificates here: have “openssl s_client -showcerts” write them to a file, and name that by -c"
            )
        }
        let files = arguments.values(of: "c")
        guard !files.isEmpty else { throw MacUsage("a certificate is named by -c") }
        guard !arguments.has("k") || !hasNoKeychains(arguments) else {
            throw MacUsage("-k and -N contradict each other")
        }
        let policies = try policies(arguments)
        let search = try CertificateSearch(arguments.values(of: "k"), in: context)
        let der = try certificates(files)
        let given = try MacVerb.calling("SecTrustEvaluate", exitStatus: ExitStatus.failure) {
            () throws(KeychainError) in try search.certificates(der)
        }
        guard arguments.has("l") || !isAuthority(given.first) else {
            try context.errors.write(
                "Cert Verify Result: \(message(.noBasicConstraintsCA))\nsecurity: the first certificate is one that issues others, and these are verified by -l alone\n"
            )
            return ExitStatus.failure
        }
        var question = TrustQuestion(der, policies: policies)
        let roots = arguments.values(of: "r")
        if !roots.isEmpty {
            question.anchors = try Self.certificates(roots)
            question.hasOwnAnchorsOnly = true
        }
        if !hasNoKeychains(arguments) {
            let anchors = question.anchors.reduce(0) { $0 + $1.count }
            question.certificates += try MacVerb.calling("SecTrustEvaluate", exitStatus: ExitStatus.failure) {
                () throws(KeychainError) in try IssuerCandidates(in: search).above(given, besides: anchors)
            }
        }
        if let text = arguments.value(of: "d") { question.date = try date(text) }
        question.allowsFetching = !arguments.has("L")
        let verdict = try MacVerb.calling("SecTrustEvaluate", exitStatus: ExitStatus.failure) {
            [question] () throws(KeychainError) in
            try question.checkSize()
            return try context.keychain.evaluate(question)
        }
        if arguments.has("P") {
            try context.output.write(verdict.chain.map { PEMFile.text(of: $0.certificate) }.joined())
        }
        if arguments.has("t") { try context.output.write(try contents(of: verdict, search)) }
        if arguments.has("v") { try context.output.write(lines(of: verdict)) }
        guard let (defect, name) = verdict.firstDefect else {
            if !arguments.has("q") { try context.output.write("...certificate verification successful.\n") }
            return ExitStatus.success
        }
        try context.errors.write(
            "Cert Verify Result: \(message(defect.status))\nsecurity: \(Printable.text(defect.sentence(of: name)))\n")
        return ExitStatus.failure
    }

    private static func message(_ status: Status) -> String {
        StatusCatalogue.entry(for: status.rawValue)?.message ?? "\(status)"
    }

    // MARK: Certificates

    /// Whether only the given certificates may be in the chain; `-n` without a name means that too.
    private static func hasNoKeychains(_ arguments: MacArguments) -> Bool {
        arguments.has("N") || arguments.options.contains { $0.letter == "n" && $0.value == nil }
    }

    /// Whether the certificate is an authority that another one issued.
    private static func isAuthority(_ certificate: StoredCertificate?) -> Bool {
        guard let report = certificate?.report else { return false }
        return report.authority?.isAuthority == true && report.issuer.normalized != report.subject.normalized
    }

    /// The content of each certificate of the chain.
    private static func contents(of verdict: TrustVerdict, _ search: CertificateSearch) throws -> String {
        try search.certificates(verdict.chain.map(\.certificate)).map { (certificate) throws(KeychainError) in
            try CertificateDescription(certificate: certificate, verdict: nil).block()
        }.joined(separator: "\n")
    }

    private static func certificates(_ files: [String]) throws(ToolError) -> [[UInt8]] {
        var all: [[UInt8]] = []
        for file in files { all += try PEMFile.certificates(file) }
        return all
    }

    private static func policies(_ arguments: MacArguments) throws(MacUsage) -> [TrustPolicy] {
        var (purpose, name) = (TrustPolicy.Purpose.basic, arguments.value(of: "n"))
        if let host = arguments.value(of: "s") { (purpose, name) = (.ssl, host) }
        if let address = arguments.value(of: "e") { (purpose, name) = (.smime, address) }
        if let word = arguments.value(of: "p") { purpose = try TrustWords.policy(word) }
        // A name that the policy ignores must not seem to be verified.
        guard name == nil || purpose.terms.looksAtNames else {
            throw MacUsage("the policy looks at no name: give -p ssl, smime, eap or ipsec with it")
        }
        var policies = [TrustPolicy(purpose, isClient: arguments.has("C"), name: name)]
        var flags: RevocationFlags = []
        for word in arguments.values(of: "R") {
            switch word {
            case "ocsp": flags.insert(.ocsp)
            case "crl": flags.insert(.lists)
            case "require": flags.formUnion([.ocsp, .lists, .requirePositiveResponse])
            case "offline": flags.formUnion([.ocsp, .lists, .noNetwork])
            default: throw MacUsage("\(word) is no method of revocation: ocsp, crl, require or offline")
            }
        }
        if !flags.isEmpty { policies.append(TrustPolicy(.revocation, revocation: flags)) }
        return policies
    }

    /// The seconds since 1970 of a date in UTC.
    private static func date(_ text: String) throws(MacUsage) -> Int64 {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        for format in ["yyyy-MM-dd-HH:mm:ss", "yyyy-MM-dd"] {
            formatter.dateFormat = format
            if let date = formatter.date(from: text) { return Int64(date.timeIntervalSince1970) }
        }
        throw MacUsage("\(text) is no date: YYYY-MM-DD, with -hh:mm:ss behind it for a moment")
    }

    private static func lines(of verdict: TrustVerdict) -> String {
        verdict.chain.enumerated().map { index, link in
            let defects = link.defects.map { "      \(Printable.text($0.sentence(of: link.summary)))\n" }.joined()
            return "Cert \(index): \(Printable.text(link.summary))\n" + defects
        }.joined()
    }
}
