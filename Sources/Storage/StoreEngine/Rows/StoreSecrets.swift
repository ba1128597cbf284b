import ChatelaineMemory
import ChatelaineModel

/// The keys of a store that the engine itself uses.
package struct StoreSecrets: Sendable {
    /// The key of the digests of rows, which add up to one sum.
    package let integrity: SecretBytes
    /// The key of the seal over the head record.
    package let head: SecretBytes
    /// The key of the mark outside of the store's folder.
    package let mark: SecretBytes
    /// The keybag from which all keys come; store and keybag each record the other's identifier.
    package let keybag: KeybagIdentifier
    /// How often the keybag was written; an older copy has a lower number, and 0 stands for an unknown one.
    package let keybagGeneration: UInt64
    /// Whether the keybag says that the store has a mark and a sealed head record.
    package let isMarked: Bool

    package init(
        integrity: SecretBytes, head: SecretBytes, mark: SecretBytes, keybag: KeybagIdentifier,
        keybagGeneration: UInt64 = 0, isMarked: Bool
    ) {
        self.integrity = integrity
        self.head = head
        self.mark = mark
        self.keybag = keybag
        self.keybagGeneration = keybagGeneration
        self.isMarked = isMarked
    }
}
