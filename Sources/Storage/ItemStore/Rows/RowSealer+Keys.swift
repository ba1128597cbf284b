import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Sealing

/// The private keys, which only the custodian seals and opens.
extension RowSealer {
    /// Makes a private key sealed for its place; the custodian binds the place's constraints.
    ///
    /// - Parameter use: the user, where the key moves from a row with constraints.
    func makeKey(
        _ source: KeySource, at context: RowContext, for use: KeyUser = { _ in nil }
    ) throws(KeychainError) -> (secret: PlacedSecret, content: KeyContent) {
        var asked: KeyUse?
        if case .kept(let key) = source, key.rowKey.context.constraints != nil {
            asked = context.keyCustody.flatMap { use($0.changing) }
        }
        let made = try self.source.makeKey(source, at: context, for: asked, in: store)
        var place = context
        guard place.constraints?.unbound == made.constraints?.unbound else {
            throw KeychainError(.internalComponent, "the key custodian bound a row key to other constraints")
        }
        place.constraints = made.constraints
        let secret = SealedSecret(classKey: Int64(made.classKeyID), rowKey: made.wrapped, sealed: made.sealed)
        return (PlacedSecret(secret: secret, place: place), made.content)
    }

    /// The bytes of an exportable private key; any other counts as an item without data (behaviour/keys.md, 14).
    func exported(_ secret: SealedSecret, of row: OpenedRow, for use: KeyUser) throws(KeychainError) -> Opened {
        guard row.context.keyCustody == .exportable, row.context.constraints == nil else { return .secret(nil) }
        return try result(of: .export, by: secret, of: row, for: use)
    }

    /// Has the custodian carry out a task with the private key of a row.
    func result(
        of task: KeyTask, by secret: SealedSecret, of row: OpenedRow, for use: KeyUser
    ) throws(KeychainError) -> Opened {
        guard let key = secret.key(of: row) else { return .damaged(.rowKey) }
        let asked = row.context.constraints == nil ? nil : task.operations.first.flatMap { use($0) }
        do throws(KeychainError) { return .secret(try source.useKey(key, task, for: asked, in: store)) } catch {
            guard error.cause == .unsealable || error.cause == .keyDestroyed else { throw error }
            return .damaged(.secret)
        }
    }
}

extension SealedSecret {
    /// The private key in the custodian's form; nil where it cannot be one.
    func key(of row: OpenedRow) -> SealedKey? {
        guard sealed.count <= Self.mostKeyBytes else { return nil }
        return wrapped(for: row).map { SealedKey(rowKey: $0, sealed: sealed) }
    }
}
