import ChatelaineModel
import StoreEngine

/// A query, translated into indexed look-ups: one for each access group, or one for each item that it names.
///
/// The look-up in a group uses the index that leaves the fewest rows.
struct SearchPlan: Sendable {
    /// The damaged rows, and their sealed bytes, after which a pass ends.
    ///
    /// They are set aside before the search is repeated. Somebody who may write the file can make any number of them.
    static let maximumDamaged = 256
    static let maximumDamagedBytes = 8 * 1024 * 1024

    let itemClass: ItemClass
    let synchronizable: SynchronizableScope
    let accessibility: Accessibility?
    let constraints: ConstraintScope
    /// The groups whose items count; nil where each look-up ensures the group.
    let groups: [AccessGroup]?
    let host: String?
    let probes: SearchProbes
    let wantsAttributes: Bool
    let wantsSecret: Bool
    /// Whether certificates in clear are copied out of their rows; they count against the byte limit.
    var wantsCertificates: Bool
    /// The number of rows after which a pass ends.
    var maximum: Int
    /// The number of sealed bytes after which a pass ends.
    var byteLimit = Int.max
    /// Whether the rows come from a locked file, in which anybody may have written anything.
    ///
    /// Damaged rows are passed over then.
    var isUnverified = false

    /// Whether each row that is found counts with its metadata, even where no attributes are wanted.
    ///
    /// Its access object is kept. Certificates have none.
    var keepsAccessObjects: Bool { isUnverified && itemClass != .certificate }

    init(
        _ query: ItemQuery, groups allowed: [AccessGroup], digests: StoreDigests, wantsAttributes: Bool,
        wantsSecret: Bool, maximum: Int
    ) {
        itemClass = query.itemClass
        synchronizable = query.synchronizable
        accessibility = query.accessibility
        constraints = query.constraints
        host = query.host
        self.wantsAttributes = wantsAttributes
        self.wantsSecret = wantsSecret
        // A change seals the certificate anew with the attributes, so that it needs both.
        wantsCertificates = wantsSecret || wantsAttributes
        self.maximum = maximum
        assert(Set(allowed).count == allowed.count, "a group stands twice among those of a caller")
        // A caller names a group without its owner.
        let groups = query.accessGroup.map { name in allowed.filter { $0.isCalled(name) } } ?? allowed
        let wanted = AttributeDemand(query)
        if let named = query.identifier.map({ [$0] }) ?? query.items {
            self.groups = groups
            var rest = Set(named)
            probes = SearchProbes(
                groups.isEmpty
                    ? []
                    : named.filter { rest.remove($0) != nil }.map { identifier in
                        SearchProbe(
                            statement: wantsSecret ? .findIdentifierSecret : .findIdentifier, value: identifier.value,
                            wanted: wanted, group: nil, indexed: [])
                    })
        } else {
            self.groups = nil
            probes = SearchProbes(
                in: groups, Self.probe(wanted, of: query.itemClass, digests, wantsSecret: wantsSecret))
        }
    }

    /// Makes the look-up in a group, by the first column whose attributes the query has, all of them in exact case.
    private static func probe(
        _ wanted: AttributeDemand, of itemClass: ItemClass, _ digests: StoreDigests, wantsSecret: Bool
    ) -> @Sendable (AccessGroup) -> SearchProbe {
        for (column, keys) in SearchSchema.of(itemClass).columns where wanted.isExact(keys) {
            guard let terms = StoreDigests.Terms(keys, wanted.attributes, of: itemClass) else { continue }
            let statement = column.statement(secret: wantsSecret)
            return { group in
                SearchProbe(
                    statement: statement, value: digests.search(terms, in: group), wanted: wanted, group: group,
                    indexed: keys)
            }
        }
        let statement = wantsSecret ? ItemStatement.findGroupSecret : .findGroup
        return { group in
            SearchProbe(
                statement: statement, value: digests.group(group), wanted: wanted, group: group, indexed: [])
        }
    }

    /// Runs a look-up on a connection's statements; passes every row to `body` until it answers false.
    func run(
        _ probe: SearchProbe, on statements: StatementCache, _ body: (PreparedStatement) throws(KeychainError) -> Bool
    ) throws(KeychainError) {
        let statement = try statements[probe.statement]
        defer { statement.rewind() }
        try bind(probe, to: statement)
        while try statement.step() {
            guard try body(statement) else { break }
        }
    }

    /// Runs a look-up on a pending row, as if the row were in the table.
    func run(
        _ probe: SearchProbe, on row: PendingRow, _ statements: StatementCache,
        _ body: (PreparedStatement) throws(KeychainError) -> Void
    ) throws(KeychainError) {
        guard let column = probe.statement.searchedColumn, row.content[column] == .blob(probe.value.array) else {
            return
        }
        let statement = try statements[.pendingRow]
        defer { statement.reset() }
        try bind(probe, to: statement)
        try ItemStatement.bind(row, to: statement)
        if try statement.step() { try body(statement) }
    }

    /// Binds the value, the class, the range of the synchronizable flag and the protection class as 1 to 5.
    func bind(_ probe: SearchProbe, to statement: PreparedStatement) throws(KeychainError) {
        try statement.bind(1, probe.value)
        statement.bind(2, Int64(itemClass.rawValue))
        statement.bind(3, synchronizable == .synchronizable ? 1 : 0)
        statement.bind(4, synchronizable == .local ? 0 : 1)
        statement.bind(5, Int64(accessibility?.rawValue ?? 0))
    }

    /// Whether attributes belong to an allowed group, and to a server at or below the query's host.
    func admits(_ attributes: AttributeSet) -> Bool {
        if let groups {
            guard groups.contains(where: { attributes[.accessGroup]?.matches(.text($0.text)) ?? false }) else {
                return false
            }
        }
        return host.map { Self.server(attributes[.server], isAtOrBelow: $0) } ?? true
    }

    /// The host match of internet passwords (behaviour/finding.md, 29), byte for byte.
    private static func server(_ value: AttributeValue?, isAtOrBelow host: String) -> Bool {
        let server: [UInt8]
        switch value {
        case .text(let text): server = Array(text.utf8)
        case .data(let data): server = data
        default: return false
        }
        let host = Array(host.utf8)
        if server == host { return true }
        return server.count > host.count && server.suffix(host.count).elementsEqual(host)
            && server[server.count - host.count - 1] == UInt8(ascii: ".")
    }
}
