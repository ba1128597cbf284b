import ChatelaineMemory
import ChatelaineModel
import Sealing
import StoreEngine

extension ItemStore {
    /// Changes every item that a query describes, all of them or none.
    ///
    /// The modification date becomes now, and is always later than the old one. The creation date stays unless the
    /// change names it (behaviour/attributes-and-dates.md, 19 and 20). An empty change sets only the modification date.
    /// The query's limit has no effect (behaviour/updating.md, 1). A protection class without constraints removes an
    /// item's constraints (behaviour/access-control.md, 24).
    ///
    /// - Parameters:
    ///   - authorise: decides about each row before its next version is prepared; see ``RowAuthoriser``.
    ///   - use: the user for whom the keys of rows with constraints are asked for.
    /// - Throws: `errSecItemNotFound`; `errSecDuplicateItem` when an item would get the unique attributes of another;
    ///   `errSecInteractionNotAllowed`, `errSecDataTooLarge`; the errors of key custodian and disk.
    package func update(
        _ query: ItemQuery, _ change: ItemChange, groups: [AccessGroup], request: ChangeRequest,
        authorise: RowAuthoriser = { _, _ in true }, use: KeyUser = { _ in nil }
    ) throws(KeychainError) {
        try update([(query, change)], groups: groups, request: request, authorise: authorise, use: use)
    }

    /// Carries out several changes as one: all of them or none.
    ///
    /// The queries must not overlap, and each has to match at least one item.
    ///
    /// - Parameter isRehearsal: whether the changes are only tried. They fail as they would, and nothing is changed.
    package func update(
        _ parts: [(query: ItemQuery, change: ItemChange)], groups: [AccessGroup], request: ChangeRequest,
        isRehearsal: Bool = false, authorise: RowAuthoriser = { _, _ in true }, use: KeyUser = { _ in nil }
    ) throws(KeychainError) {
        var plans: [(plan: SearchPlan, change: ItemChange)] = []
        for (query, change) in parts {
            try change.secret.requireRoom()
            try requireAccess(change.access)
            for access in change.accessObjects.values { try requireAccess(access) }
            let plan = SearchPlan(
                query, groups: groups, digests: digests, wantsAttributes: true,
                wantsSecret: change.movesItems && change.secret == nil, maximum: .max)
            plans.append((plan, change))
        }
        _ = try repeating(request) { () throws(KeychainError) in
            var outcomes: [SearchOutcome] = []
            var rows: [PreparedRow] = []
            for (plan, change) in plans {
                let (outcome, next) = try prepared(plan, change, use, authorise)
                outcomes.append(outcome)
                rows += next
            }
            return { [outcomes, rows] (session) throws(KeychainError) in
                guard session.accepts(rows) else { return .outdated }
                for (outcome, part) in zip(outcomes, plans) {
                    guard try session.isCurrent(outcome, of: part.plan) else { return .outdated }
                }
                for row in rows {
                    do throws(KeychainError) {
                        try session.update(row)
                    } catch {
                        guard error.cause == .duplicate else { throw error }
                        return .conflict(uniqueDigest: row.uniqueDigest)
                    }
                }
                guard !isRehearsal else { return .rehearsed }
                try session.record(request)
                return .done
            }
        }
    }

    /// Finds the rows of an update, and prepares their next versions.
    func prepared(
        _ plan: SearchPlan, _ change: ItemChange, _ use: KeyUser, _ authoriser: RowAuthoriser,
        keepsDates: Bool = false
    ) throws(KeychainError) -> (SearchOutcome, [PreparedRow]) {
        for _ in 0..<Self.maximumAttempts {
            let outcome = try matches(of: plan, .update, authoriser)
            guard let rows = try updated(outcome.rows, change, for: use, keepsDates: keepsDates) else { continue }
            guard Set(rows.map(\.uniqueDigest)).count == rows.count else {
                throw KeychainError(.duplicateItem, "the update would give several items the same unique attributes")
            }
            try engine.bring(rows.map(\.uniqueDigest), usingIndex: true)
            return (outcome, rows)
        }
        throw KeychainError(.decode, "the secrets of so many items are damaged that the update was given up")
    }

    /// The rows that match a change and that the caller may change; damaged ones go to the quarantine and do not count.
    ///
    /// - Throws: `errSecItemNotFound` when no row is left; `errSecDecode` when damaged rows keep the search from its
    ///   end.
    func matches(
        of plan: SearchPlan, _ operation: RowOperation, _ authoriser: RowAuthoriser
    ) throws(KeychainError) -> SearchOutcome {
        for _ in 0..<Self.maximumAttempts {
            var outcome = try search(plan, stamps: true)
            if !outcome.damaged.isEmpty {
                if engine.quarantine(outcome.damaged) != .failed { continue }
                // A damaged row that cannot be moved keeps its stamp, so that the change can still compare stamps.
                // Rows behind so many of them were not read.
                guard !outcome.isFullOfDamage else { break }
            }
            try authorise(&outcome.rows, operation, authoriser)
            guard !outcome.rows.isEmpty else { throw KeychainError.notFound(isSetAside: try hasSetAside(plan)) }
            return outcome
        }
        throw KeychainError(.decode, "so many damaged items lie where the change looks that it was given up")
    }

    /// The sealed next versions of rows; nil when damaged rows among them were moved to the quarantine.
    private func updated(
        _ rows: [OpenedRow], _ change: ItemChange, for use: KeyUser, keepsDates: Bool
    ) throws(KeychainError) -> [PreparedRow]? {
        let now = clock.now()
        var contexts: [RowContext] = []
        var changed: [AttributeSet] = []
        var keptSecrets: [Int: OpenedRow] = [:]
        for (index, row) in rows.enumerated() {
            let context = try Self.context(of: row, after: change, digests)
            contexts.append(context)
            let attributes =
                switch context.itemClass {
                case .key: try change.attributes(ofKey: row.key, before: row.attributes)
                case .certificate: try change.attributes(ofCertificate: row.attributes)
                default: change.attributes
                }
            changed.append(attributes)
            guard change.secret == nil || row.key == nil else {
                throw KeychainError(.param, "the bytes of a key stay what they are: another key is another item")
            }
            if change.secret == nil, row.secretVersion != 0, context.isMoved(from: row.context) {
                keptSecrets[index] = row
            }
        }
        guard let secrets = try resealed(contexts, change, keptSecrets, for: use) else { return nil }
        var prepared: [PreparedRow] = []
        prepared.reserveCapacity(rows.count)
        for (index, row) in rows.enumerated() {
            let attributes = row.attributes
            let access = change.accessObjects[row.context.row] ?? change.access
            var key = row.key
            key?.custody = contexts[index].keyCustody
            var metadata = ItemMetadata(
                secretVersion: row.secretVersion, access: access?.encoding ?? row.access, key: key,
                certificate: row.certificate, attributes: attributes)
            metadata.attributes.merge(changed[index])
            // What a key's attributes say about its bytes follows from the key.
            if let custody = key?.custody, custody != .exportable { metadata.attributes[.isExtractable] = .number(0) }
            if let group = change.accessGroup { metadata.attributes[.accessGroup] = .text(group.text) }
            if !keepsDates {
                metadata.attributes[.modificationDate] = .date(Self.modificationDate(after: attributes, now: now))
            }
            if let sealed = secrets[index] {
                metadata.secretVersion = sealed.place.version
                prepared.append(try sealer.seal(metadata, at: sealed.place, secret: .written(sealed.secret)))
            } else {
                prepared.append(try sealer.seal(metadata, at: contexts[index], secret: .kept))
            }
        }
        return prepared
    }

    /// Seals the secrets that the change affects: new secrets, and those whose row moves to another class or group.
    private func resealed(
        _ contexts: [RowContext], _ change: ItemChange, _ kept: [Int: OpenedRow], for use: KeyUser
    ) throws(KeychainError) -> [Int: RowSealer.PlacedSecret]? {
        var moved: [Int: RowSealer.PlacedSecret] = [:]
        for (index, row) in kept where row.context.keyCustody != nil {
            guard let key = row.secret?.key(of: row) else {
                try setAside([row], [.damaged(.rowKey)])
                return nil
            }
            moved[index] = try sealer.makeKey(.kept(key), at: contexts[index], for: use).secret
        }
        let kept = kept.filter { moved[$0.key] == nil }
        var indices: [Int] = []
        var work: [(context: RowContext, secret: SecretBytes)] = []
        if let secret = change.secret {
            indices = Array(contexts.indices)
            work = contexts.map { ($0, secret) }
        } else if !kept.isEmpty {
            indices = kept.keys.sorted()
            let rows = indices.compactMap { kept[$0] }
            let opened = try sealer.openSecrets(rows, for: use)
            for (index, opened) in zip(indices, opened) {
                if case .secret(let secret?) = opened { work.append((contexts[index], secret)) }
            }
            guard work.count == indices.count else {
                try setAside(rows, opened)
                return nil
            }
        }
        let sealed = try sealer.seal(work, for: use)
        return moved.merging(zip(indices, sealed)) { first, _ in first }
    }

    /// Moves rows whose secrets are damaged to the quarantine.
    private func setAside(_ rows: [OpenedRow], _ opened: [RowSealer.Opened]) throws(KeychainError) {
        guard engine.quarantine(try damagedSecrets(rows, opened)) != .failed else {
            throw KeychainError(.decode, "the secret of an item is damaged, so that it cannot be sealed anew")
        }
    }

    private static func context(
        of row: OpenedRow, after change: ItemChange, _ digests: StoreDigests
    ) throws(KeychainError) -> RowContext {
        var context = row.context
        context.version += 1
        if let accessibility = change.accessibility {
            context.accessibility = accessibility
            context.constraints = change.constraints?.unbound
            // Whoever may calculate with a key may not have its bytes, now or later (behaviour/keys.md, 15).
            if context.keyCustody == .exportable, context.constraints != nil || row.context.constraints != nil {
                context.keyCustody = .useOnly
            }
        }
        if context.keyCustody == .exportable, change.keepsKeysInside { context.keyCustody = .useOnly }
        if let isSynchronizable = change.isSynchronizable { context.isSynchronizable = isSynchronizable }
        if let group = change.accessGroup { context.groupDigest = digests.group(group) }
        guard !context.isSynchronizable || !(context.constraints?.isConstraining ?? false) else {
            throw AccessControl.synchronizable
        }
        return context
    }

    /// The present time, or a millisecond after the old date if that is later (behaviour/attributes-and-dates.md, 19).
    static func modificationDate(after attributes: AttributeSet, now: Double) -> Double {
        guard case .date(let old)? = attributes[.modificationDate] else { return now }
        return now > old ? now : old + 0.001
    }
}

extension ItemChange {
    /// Whether the change may alter the context that secrets are bound to.
    var movesItems: Bool {
        accessGroup != nil || isSynchronizable != nil || accessibility != nil || keepsKeysInside
    }

    /// Whether no program gets the bytes of private keys from now on.
    fileprivate var keepsKeysInside: Bool { attributes[.isExtractable] == .number(0) }
}

extension RowContext {
    /// Whether a secret sealed in the old context does not open in this one, versions aside.
    func isMoved(from old: RowContext) -> Bool {
        var old = old
        old.version = version
        return self != old
    }
}

extension KeychainError {
    /// The error of a vain search; its text says whether a matching item is damaged and in the quarantine.
    package static func notFound(isSetAside: Bool) -> KeychainError {
        KeychainError(
            .itemNotFound,
            isSetAside
                ? "no item of this program matches the query; one that matches was found damaged and set aside (see “security "
                    + "check”)"
                : "no item of this program matches the query")
    }
}
