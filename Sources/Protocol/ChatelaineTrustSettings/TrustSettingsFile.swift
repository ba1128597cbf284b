import ChatelaineCryptography
import ChatelaineIPC
import ChatelaineModel
import Foundation

/// Settings of a domain as a property list of macOS's form, with the certificate added to each entry.
///
/// With the certificate in the file, no keychain needs to have it. The file proves nothing: importing it sets the
/// settings as if they were given by hand.
package struct TrustSettingsFile: Equatable {
    /// The size of the largest settings with certificates of usual sizes; as text they are a third larger.
    package static let maximumBytes = 4 * 1024 * 1024
    /// Apple's version of the format.
    private static let version = 1

    fileprivate enum Key {
        static let (version, list) = ("trustVersion", "trustList")
        static let (issuer, serialNumber, date) = ("issuerName", "serialNumber", "modDate")
        static let (settings, certificate) = ("trustSettings", "certificate")
    }

    /// The setting for one certificate, of which a file may have only the digest.
    struct Entry: Equatable {
        /// SHA-1 in hexadecimal digits, which is Apple's name of an entry.
        var digest: String
        var certificate: [UInt8]?
        /// The issuer in the file, whose certificate may be missing.
        var issuer: [UInt8]?
        var serialNumber: [UInt8]?
        var constraints: [TrustConstraint]
        /// Seconds since 1970; the highest number where the file does not have it.
        var modified: Int64
    }

    var entries: [Entry]

    // MARK: Writing

    /// A file without settings.
    package init() { entries = [] }

    /// - Parameter reports: the readings of the certificates; an entry of an unreadable certificate has neither issuer
    ///   nor serial number.
    init(_ settings: [TrustSetting], _ reports: [CertificateReading]) throws(KeychainError) {
        entries = []
        for (setting, reading) in zip(settings, reports) {
            entries.append(try Self.entry(setting.certificate, setting.constraints, setting.modified, reading))
        }
    }

    /// Sets what a certificate is trusted for, in place of its former entry.
    ///
    /// - Throws: `errSecParam` where the certificate cannot be read, or a result is not for it.
    package mutating func set(
        _ constraints: [TrustConstraint], of certificate: [UInt8], _ reading: CertificateReading
    ) throws(KeychainError) {
        if case .flaw(let reason) = reading { throw KeychainError(.param, reason) }
        try TrustResultRule.check(constraints, reading)
        let entry = try Self.entry(certificate, constraints, Int64(time(nil)), reading)
        entries.removeAll { $0.digest == entry.digest }
        guard entries.count < TrustLimits.maximumSettings, constraints.count <= TrustLimits.maximumConstraints else {
            throw KeychainError(
                .param,
                "a file has settings for \(TrustLimits.maximumSettings) certificates at most, each with \(TrustLimits.maximumConstraints) constraints"
            )
        }
        entries.append(entry)
    }

    private static func entry(
        _ certificate: [UInt8], _ constraints: [TrustConstraint], _ modified: Int64, _ reading: CertificateReading
    ) throws(KeychainError) -> Entry {
        var entry = Entry(
            digest: try digest(of: certificate), certificate: certificate, constraints: constraints, modified: modified)
        if case .report(let report) = reading {
            (entry.issuer, entry.serialNumber) = (report.issuer.encoded, report.serialNumber)
        }
        return entry
    }

    /// The file as XML.
    ///
    /// `PropertyListSerialization` cannot write dictionaries in dictionaries where Foundation is linked statically, as
    /// into `security`.
    package func propertyList() throws(KeychainError) -> [UInt8] {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .xml
        do { return [UInt8](try encoder.encode(self)) } catch {
            throw KeychainError(.internalComponent, "the settings of trust are no property list: \(error)")
        }
    }

    static func digest(of certificate: [UInt8]) throws(KeychainError) -> String {
        let digest = certificate.withUnsafeBytes { bytes in
            Result { () throws(KeychainError) in try KeyDigest.sha1.digest(of: bytes) }
        }
        return Hexadecimal.text(of: try digest.get()).uppercased()
    }

    // MARK: Reading

    /// - Throws: `errSecInvalidTrustSettings` for what is no such list, and for unknown settings, since what they deny
    ///   must not be ignored.
    package init(_ data: [UInt8]) throws(KeychainError) {
        guard data.count <= Self.maximumBytes else {
            throw KeychainError(
                .invalidTrustSettings, "a file of trust settings has \(Self.maximumBytes) bytes at the most")
        }
        let list = try? PropertyListSerialization.propertyList(from: Data(data), format: nil)
        guard let list = list as? [String: Any], list[Key.version] as? Int == Self.version,
            let all = list[Key.list] as? [String: Any]
        else { throw Self.invalid("it is no property list of trust settings of version \(Self.version)") }
        guard all.count <= TrustLimits.maximumSettings else {
            throw Self.invalid("it has settings for more than \(TrustLimits.maximumSettings) certificates")
        }
        entries = try all.sorted { $0.key < $1.key }.map { (name, value) throws(KeychainError) in
            guard let entry = value as? [String: Any], name.count == 40 else {
                throw Self.invalid("an entry is no dictionary under a digest of a certificate")
            }
            return try Self.entry(name.uppercased(), entry)
        }
    }

    private static func entry(_ digest: String, _ pairs: [String: Any]) throws(KeychainError) -> Entry {
        var entry = Entry(digest: digest, constraints: [], modified: .max)
        if let date = pairs[Key.date] as? Date, let seconds = Int64(exactly: date.timeIntervalSince1970.rounded(.down))
        {
            entry.modified = seconds
        }
        entry.issuer = (pairs[Key.issuer] as? Data).map { [UInt8]($0) }
        entry.serialNumber = (pairs[Key.serialNumber] as? Data).map { [UInt8]($0) }
        if let settings = pairs[Key.settings] {
            guard let settings = settings as? [[String: Any]], settings.count <= TrustLimits.maximumConstraints else {
                throw invalid("the settings of \(digest) are no array of \(TrustLimits.maximumConstraints) at the most")
            }
            entry.constraints = try settings.map { (pairs) throws(KeychainError) in
                try TrustConstraintPairs.constraint(propertyList: pairs)
            }
        }
        if let certificate = pairs[Key.certificate] {
            guard let data = certificate as? Data, data.count <= TrustLimits.maximumCertificateBytes,
                try self.digest(of: [UInt8](data)) == digest
            else { throw invalid("the certificate of \(digest) is another one") }
            entry.certificate = [UInt8](data)
        }
        return entry
    }

    static func invalid(_ reason: String) -> KeychainError {
        KeychainError(.invalidTrustSettings, "the settings of trust cannot be taken over: \(reason)")
    }
}

/// A key of a dictionary in a property list.
struct PropertyListKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(_ text: String) { stringValue = text }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue _: Int) { nil }
}

extension TrustSettingsFile: Encodable {
    package func encode(to encoder: any Encoder) throws {
        var pairs = encoder.container(keyedBy: PropertyListKey.self)
        try pairs.encode(Self.version, forKey: PropertyListKey(Key.version))
        let list = Dictionary(entries.map { ($0.digest, $0) }) { _, last in last }
        try pairs.encode(list, forKey: PropertyListKey(Key.list))
    }
}

extension TrustSettingsFile.Entry: Encodable {
    private typealias Key = TrustSettingsFile.Key

    func encode(to encoder: any Encoder) throws {
        var pairs = encoder.container(keyedBy: PropertyListKey.self)
        try pairs.encode(constraints.map(TrustConstraintPairs.init), forKey: PropertyListKey(Key.settings))
        let date = modified < .max ? Date(timeIntervalSince1970: TimeInterval(modified)) : nil
        try pairs.encodeIfPresent(date, forKey: PropertyListKey(Key.date))
        for (key, bytes) in [(Key.certificate, certificate), (Key.issuer, issuer), (Key.serialNumber, serialNumber)] {
            try pairs.encodeIfPresent(bytes.map { Data($0) }, forKey: PropertyListKey(key))
        }
    }
}

extension DomainTrustSettings {
    /// All settings as a property list (`SecTrustSettingsCreateExternalRepresentation`).
    ///
    /// - Throws: `errSecNoTrustSettings` where there are none.
    package func externalRepresentation() throws(KeychainError) -> [UInt8] {
        let settings = try all()
        guard !settings.isEmpty else {
            throw KeychainError(.noTrustSettings, "nothing is set about trust in certificates")
        }
        var readings: [CertificateReading] = []
        for certificate in settings.map(\.certificate) { readings += try service.read(certificates: [certificate]) }
        return try TrustSettingsFile(settings, readings).propertyList()
    }

    /// Replaces all settings by those of a property list (`SecTrustSettingsImportExternalRepresentation`).
    ///
    /// - Throws: as ``settings(in:)``.
    package func importRepresentation(_ data: [UInt8]) throws(KeychainError) {
        try replace(with: try settings(in: data))
    }

    /// The settings of a property list, with their certificates.
    ///
    /// - Throws: `errSecItemNotFound` for a certificate that is neither in the file, nor in a keychain, nor among the
    ///   distribution's.
    package func settings(in data: [UInt8]) throws(KeychainError) -> [TrustSetting] {
        let file = try TrustSettingsFile(data)
        var known: [String: [UInt8]] = [:]
        if file.entries.contains(where: { $0.certificate == nil }) {
            for certificate in try certificates() { known[try TrustSettingsFile.digest(of: certificate)] = certificate }
        }
        return try file.entries.map { (entry) throws(KeychainError) in
            guard let certificate = entry.certificate ?? known[entry.digest] else {
                throw KeychainError(
                    .itemNotFound,
                    "the file has settings for the certificate \(entry.digest) and not the certificate: add that to the keychain first"
                )
            }
            return TrustSetting(
                certificate: certificate, subject: [], summary: "", constraints: entry.constraints,
                modified: entry.modified)
        }
    }

    /// The certificates that this program may find in the keychain, and in the file keychains of the search list.
    private func certificates() throws(KeychainError) -> [[UInt8]] {
        var query = ItemQuery(itemClass: .certificate)
        (query.synchronizable, query.limit, query.returns) = (.any, .all, .data)
        var found: [FoundItem] = []
        do throws(KeychainError) { found = try service.find(query) } catch {
            guard error.status == .itemNotFound else { throw error }
        }
        let stored = found.compactMap { item in item.secret.map { $0.withUnsafeBytes { [UInt8]($0) } } }
        return try stored + filed() + service.systemRoots() + all().map(\.certificate)
    }

    private func filed() throws(KeychainError) -> [[UInt8]] {
        var query = ItemQuery(itemClass: .certificate)
        (query.limit, query.returns) = (.all, .data)
        do throws(KeychainError) {
            return try service.find(query, in: KeychainScope()).compactMap { found in
                found.item.secret.map { $0.withUnsafeBytes { [UInt8]($0) } }
            }
        } catch {
            guard error.status == .itemNotFound else { throw error }
            return []
        }
    }
}
