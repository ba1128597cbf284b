import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel

/// Finds certificates, keys and identities for verbs.
///
/// It searches the named keychains. If none is named, it searches those of the search list, then the data protection
/// keychain.
struct CertificateSearch {
    let context: ToolContext
    /// Keychains that the user was told are passed over.
    private let passedOver = PassedOver()
    /// Paths of the named file keychains; nil if none was named.
    private let paths: [String]?

    init(_ names: [String], in context: ToolContext) throws(MacFailure) {
        self.context = context
        paths = names.isEmpty ? nil : try context.scope(names).paths
    }

    // MARK: Certificates

    /// All certificates, with their content.
    func certificates() throws(KeychainError) -> [StoredCertificate] {
        try withKeys(try read(try unread()))
    }

    /// The certificates, with whether their private keys are beside them.
    func withKeys(_ certificates: [StoredCertificate]) throws(KeychainError) -> [StoredCertificate] {
        var certificates = certificates
        var keys: [StoredCertificateLocation: Set<LabelledKey>] = [:]
        for place in Set(certificates.compactMap(\.place)) { keys[place] = try privateKeys(in: place) }
        for index in certificates.indices {
            guard let place = certificates[index].place, let key = certificates[index].report?.key else { continue }
            let wanted = LabelledKey(label: key.hash, publicBytes: key.representation)
            certificates[index].hasPrivateKey = keys[place]?.contains(wanted) ?? false
        }
        return certificates
    }

    /// Certificates from files; a keychain is not known for them.
    func certificates(_ der: [[UInt8]]) throws(KeychainError) -> [StoredCertificate] {
        try read(der.map { StoredCertificate(der: $0) })
    }

    /// Reads certificates in rounds, so that any number can be read.
    ///
    /// - Parameter isEnough: called with the certificates of each round; reading ends if it returns true.
    func read(
        _ all: [StoredCertificate], until isEnough: (_ round: [StoredCertificate]) -> Bool = { _ in false }
    ) throws(KeychainError) -> [StoredCertificate] {
        var certificates: [StoredCertificate] = []
        var rest = all[...]
        while !rest.isEmpty {
            var (count, bytes) = (0, 0)
            for each in rest.prefix(CertificateLimits.maximumBatch) {
                bytes += each.der.count
                guard count == 0 || bytes <= CertificateLimits.maximumBatchBytes else { break }
                count += 1
            }
            var batch = Array(rest.prefix(count))
            rest = rest.dropFirst(count)
            for (index, reading) in zip(
                batch.indices, try context.keychain.read(certificates: batch.map(\.der)))
            {
                if case .report(let report) = reading { batch[index].report = report }
            }
            certificates += batch
            if isEnough(batch) { break }
        }
        return certificates
    }

    // MARK: Items

    /// The items of a class; empty if there are none.
    func items(
        _ itemClass: ItemClass, _ returns: ReturnTypes, _ attributes: AttributeSet = AttributeSet(),
        limit: MatchLimit = .all
    ) throws(KeychainError) -> [StoredItem] {
        var items: [StoredItem] = []
        for place in try places() {
            items += try self.items(itemClass, returns, attributes, limit: limit, in: place)
            if items.count >= limit.maximum { break }
        }
        return items
    }

    /// - Parameter isWhole: whether a keychain that cannot be searched is an error, as it is for deletions.
    private func items(
        _ itemClass: ItemClass, _ returns: ReturnTypes, _ attributes: AttributeSet, limit: MatchLimit = .all,
        in place: StoredCertificateLocation, isWhole: Bool = false
    ) throws(KeychainError) -> [StoredItem] {
        var query = ItemQuery(itemClass: itemClass)
        (query.returns, query.limit, query.attributes) = (returns, limit, attributes)
        return try items(query, in: place, isWhole: isWhole)
    }

    /// The items with their data; an item that was deleted meanwhile is left out.
    func withData(_ items: [StoredItem]) throws(KeychainError) -> [StoredItem] {
        var found: [StoredItem] = []
        var rest = items[...]
        // Items of the same place are adjacent.
        while let first = rest.first {
            let batch = rest.prefix(Limits.listedItems).prefix { $0.place == first.place }
            rest = rest.dropFirst(batch.count)
            var query = ItemQuery(itemClass: first.item.itemClass)
            (query.returns, query.limit) = ([.attributes, .data], .all)
            var references: [KeychainItemReference] = []
            for item in batch { if case .file(let item) = item { references.append(item.reference) } }
            if references.isEmpty { query.items = batch.map(\.item.identifier) }
            found += try self.items(query, in: first.place, only: references)
        }
        return found
    }

    private func items(
        _ query: ItemQuery, in place: StoredCertificateLocation, only references: [KeychainItemReference]? = nil,
        isWhole: Bool = false
    ) throws(KeychainError) -> [StoredItem] {
        var query = query
        do throws(KeychainError) {
            switch place {
            case .dataProtection:
                query.synchronizable = .any
                return try context.keychain.find(query).map { .protected($0) }
            case .file(let path):
                return try context.keychain.find(query, in: KeychainScope(paths: [path], items: references)).map {
                    .file($0)
                }
            }
        } catch {
            if error.status == .itemNotFound { return [] }
            guard !isWhole, isPassedOver(error, in: place) else { throw error }
            return []
        }
    }

    /// Whether an error lets the search continue with the next keychain.
    ///
    /// A keychain of the search list that cannot be opened here does not prevent the search of others. If it exists,
    /// the user is told once.
    private func isPassedOver(_ error: KeychainError, in place: StoredCertificateLocation) -> Bool {
        guard paths == nil else { return false }
        switch (error.status, place) {
        case (.noSuchKeychain, _), (.unimplemented, _): return true
        case (.invalidKeychain, _), (.notAvailable, _), (.interactionNotAllowed, .dataProtection):
            if passedOver.insert(place) { context.complain("\(place.text) was passed over: \(error.reason)") }
            return true
        default: return false
        }
    }

    /// The keychains to search.
    func places() throws(KeychainError) -> [StoredCertificateLocation] {
        if let paths { return paths.map { .file($0) } }
        return try context.keychain.read(.searched, of: .user).map { .file($0) } + [.dataProtection]
    }

    /// A private key by its label and its public half.
    ///
    /// It belongs to a certificate by both, as in the keychain (behaviour/identities.md, 1). A program may give its key
    /// any label.
    private struct LabelledKey: Hashable {
        let label: [UInt8]
        let publicBytes: [UInt8]
    }

    private func privateKeys(in place: StoredCertificateLocation) throws(KeychainError) -> Set<LabelledKey> {
        var attributes = AttributeSet()
        attributes[.keyClass] = .number(KeyHalf.privateKey.rawValue)
        return Set(
            try items(.key, [.attributes], attributes, in: place).compactMap { item in
                guard let key = item.item.key, key.custody != nil,
                    case .data(let label)? = item.item.attributes[.applicationLabel]
                else { return nil }
                return LabelledKey(label: label, publicBytes: key.publicBytes)
            })
    }

    /// The private key of a certificate, if it is in the same keychain.
    func privateKey(of certificate: StoredCertificate) throws(KeychainError) -> StoredItem? {
        guard let place = certificate.place, let key = certificate.report?.key else { return nil }
        return try privateKeys(of: key, in: place).first
    }

    private func privateKeys(
        of key: CertificateKey, in place: StoredCertificateLocation, isWhole: Bool = false
    ) throws(KeychainError) -> [StoredItem] {
        var attributes = AttributeSet()
        attributes[.keyClass] = .number(KeyHalf.privateKey.rawValue)
        attributes[.applicationLabel] = .data(key.hash)
        return try items(.key, [.attributes], attributes, in: place, isWhole: isWhole).filter {
            $0.item.key?.isPrivateHalf(of: key) ?? false
        }
    }

    /// Deletes a certificate and its private keys in the same keychain.
    ///
    /// If a key cannot be deleted, the certificate stays.
    func deleteIdentity(_ certificate: StoredCertificate) throws(KeychainError) {
        guard let item = certificate.item, let key = certificate.report?.key else { return }
        if case .protected = item {
            var query = ItemQuery(itemClass: .identity)
            (query.certificates, query.synchronizable) = ([certificate.der], .any)
            return try context.keychain.delete(query)
        }
        for key in try privateKeys(of: key, in: item.place, isWhole: true) { try delete(key) }
        try delete(item)
    }

    /// Deletes an item of any keychain; if the command may not, a person is asked.
    func delete(_ item: StoredItem) throws(KeychainError) {
        switch item {
        case .protected(let item):
            try context.keychain.delete(try QueryParser.query(Selection.pairs(of: item), for: .delete))
        case .file(let item):
            let (query, scope) = item.alone()
            try context.keychain.delete(query, in: scope, asksPerson: true)
        }
    }
}

/// The places that the user was told about.
private final class PassedOver {
    private var places: Set<StoredCertificateLocation> = []

    /// - Returns: whether the place is new.
    func insert(_ place: StoredCertificateLocation) -> Bool { places.insert(place).inserted }
}
