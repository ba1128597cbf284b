import ChatelaineIPC
import ChatelaineModel

/// What one call has stored in file keychains so far, to be deleted again where the rest of it cannot be stored.
struct NewItems {
    private var items: [(reference: KeychainItemReference, path: String)] = []

    mutating func note(_ half: StoredHalf) {
        guard let reference = half.reference, let path = half.path else { return }
        items.append((reference, path))
    }

    mutating func note(_ handle: KeychainItemHandle?) {
        guard let handle, let path = handle.path else { return }
        items.append((handle.reference, path))
    }

    /// Deletes them, the last one first; one that may not be deleted any more is told of.
    func takenBack(after error: KeychainError) -> KeychainError {
        var left = 0
        for item in items.reversed() {
            let scope = KeychainScope(paths: [item.path], items: [item.reference])
            do throws(KeychainError) {
                try KeychainClient.shared.delete(
                    ItemQuery(itemClass: item.reference.item.itemClass), in: scope, asksPerson: false)
            } catch { left += 1 }
        }
        return error.leaving(left)
    }
}
