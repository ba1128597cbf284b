import ChatelaineModel
import Glibc

/// Describes a certificate for people and in JSON: its content, its place, and whether it is trusted.
struct CertificateDescription {
    let certificate: StoredCertificate
    /// The result of an evaluation; nil if there was none.
    let verdict: TrustVerdict?

    private static let secondsPerDay: Int64 = 86_400
    /// The bits of `SecKeyUsage`, in the order of X.509.
    private static let usages: [(UInt64, String)] = [
        (1 << 0, "digital signature"), (1 << 1, "non-repudiation"), (1 << 2, "key encipherment"),
        (1 << 3, "data encipherment"), (1 << 4, "key agreement"), (1 << 5, "certificate signing"),
        (1 << 6, "list signing"), (1 << 7, "encipher only"), (1 << 8, "decipher only"),
    ]
    private static let purposes = [
        "1.3.6.1.5.5.7.3.1": "server of TLS", "1.3.6.1.5.5.7.3.2": "client of TLS", "1.3.6.1.5.5.7.3.3": "code signing",
        "1.3.6.1.5.5.7.3.4": "e-mail", "1.3.6.1.5.5.7.3.8": "time stamping", "1.3.6.1.5.5.7.3.9": "OCSP",
        "2.5.29.37.0": "anything",
    ]

    private var report: CertificateReport? { certificate.report }

    // MARK: What it says

    static func date(_ seconds: Int64) -> String {
        DateText.text(Double(seconds - ReferenceDate.secondsSince1970)) ?? "\(seconds)"
    }

    /// Whole days until the certificate expires; negative afterwards.
    static func daysLeft(_ report: CertificateReport, now: Int64 = Int64(time(nil))) -> Int64 {
        let seconds = report.notAfter - now
        return seconds >= 0 ? seconds / secondsPerDay : -((-seconds + secondsPerDay - 1) / secondsPerDay)
    }

    static func validity(_ report: CertificateReport, now: Int64 = Int64(time(nil))) -> String {
        if now < report.notBefore { return "not valid yet" }
        let days = daysLeft(report, now: now)
        guard days < 0 else { return days == 0 ? "ends today" : "\(Quantity.count(days, "day")) left" }
        return "expired \(Quantity.count(-days, "day")) ago"
    }

    private var key: String {
        guard let key = report?.key else { return "-" }
        let name =
            switch key.kind {
            case .rsa?: "RSA"
            case .p256?: "P-256"
            case .p384?: "P-384"
            case .p521?: "P-521"
            case .ed25519?: "Ed25519"
            case .x25519?: "X25519"
            case nil: key.algorithm
            }
        return key.kind == .rsa || key.kind == nil ? name + (key.bits.map { ", \($0) bits" } ?? "") : name
    }

    private var usages: [String] {
        Self.usages.filter { (report?.keyUsage ?? 0) & $0.0 != 0 }.map(\.1)
    }

    private var purposes: [String] { (report?.purposes ?? []).map { Self.purposes[$0] ?? $0 } }

    private var authority: String? {
        guard let authority = report?.authority, authority.isAuthority else { return nil }
        return authority.pathLength.map { "yes, with \($0) below it" } ?? "yes"
    }

    private var names: [String] { (report?.alternativeNames ?? []).map(\.text) }

    private func digests() throws(KeychainError) -> (sha256: String, sha1: String) {
        (try certificate.digest(.sha256), try certificate.digest(.sha1))
    }

    /// Whether the certificate is trusted, and if not, one sentence for each reason.
    private var verdictLines: [String] {
        guard let verdict else { return [] }
        if verdict.isTrusted {
            let anchor = verdict.chain.last?.summary ?? ""
            let why = verdict.result == .proceed ? "by what is set about trust" : "by the root “\(anchor)”"
            return ["It is trusted, \(why)."]
        }
        return ["It is not trusted."]
            + verdict.chain.flatMap { link in link.defects.map { "\($0.sentence(of: link.summary))." } }
    }

    // MARK: For people

    func block() throws(KeychainError) -> String {
        var rows: [[String]] = []
        func add(_ name: String, _ value: String?) {
            if let value, !value.isEmpty { rows.append([name, Printable.text(value)]) }
        }
        guard let report else {
            add("label", certificate.label)
            rows.append(["content", "cannot be read as a certificate"])
            return Columns.aligned(rows)
        }
        add("subject", report.subject.line)
        add("issuer", report.issuer.line)
        add("serial", Hexadecimal.text(of: report.serialNumber))
        add("valid from", Self.date(report.notBefore))
        add("valid until", "\(Self.date(report.notAfter)) (\(Self.validity(report)))")
        add("names", names.joined(separator: ", "))
        add("key", key)
        add("usage", usages.joined(separator: ", "))
        add("purposes", purposes.joined(separator: ", "))
        add("authority", authority)
        let digests = try digests()
        add("SHA-256", digests.sha256)
        add("SHA-1", digests.sha1)
        add("label", certificate.label)
        add("keychain", certificate.place?.text)
        if certificate.place != nil { rows.append(["private key", certificate.hasPrivateKey ? "yes" : "no"]) }
        return Columns.aligned(rows) + verdictLines.map { Printable.text($0) + "\n" }.joined()
    }

    // MARK: For programs

    func write(to json: inout JSONWriter) throws(KeychainError) {
        json.beginObject()
        if let report {
            write("subject", report.subject.line, to: &json)
            write("commonName", report.subject.commonName, to: &json)
            write("issuer", report.issuer.line, to: &json)
            write("serialNumber", Hexadecimal.text(of: report.serialNumber), to: &json)
            write("notBefore", Self.date(report.notBefore), to: &json)
            write("notAfter", Self.date(report.notAfter), to: &json)
            json.key("daysLeft")
            json.value(Self.daysLeft(report))
            write("names", names, to: &json)
            write("key", key, to: &json)
            write("usages", usages, to: &json)
            write("purposes", report.purposes ?? [], to: &json)
            json.key("isAuthority")
            json.value(report.authority?.isAuthority ?? false)
        }
        let digests = try digests()
        write("sha256", digests.sha256.lowercased(), to: &json)
        write("sha1", digests.sha1.lowercased(), to: &json)
        write("label", certificate.label, to: &json)
        write("keychain", certificate.place?.text, to: &json)
        json.key("hasPrivateKey")
        json.value(certificate.hasPrivateKey)
        if let verdict {
            json.key("isTrusted")
            json.value(verdict.isTrusted)
            write(
                "reasons", verdict.chain.flatMap { link in link.defects.map { $0.sentence(of: link.summary) } },
                to: &json)
        }
        json.endObject()
    }

    private func write(_ key: String, _ text: String?, to json: inout JSONWriter) {
        guard let text else { return }
        json.key(key)
        json.value(text)
    }

    private func write(_ key: String, _ texts: [String], to json: inout JSONWriter) {
        json.key(key)
        json.beginArray()
        for text in texts { json.value(text) }
        json.endArray()
    }
}
