import ChatelaineIPC
import ChatelaineModel

/// The items that one call has stored in file keychains so far.
///
/// They are deleted again where the rest cannot be stored.
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

    /// Deletes the items, the last one first, and notes in the error how many could not be deleted.
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
