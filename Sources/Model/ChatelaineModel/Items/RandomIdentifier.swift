/// Sixteen random bytes that identify a thing of one kind; each kind has its own type.
@usableFromInline
package protocol RandomIdentifier: Hashable, Sendable {
    var value: Bytes16 { get }
    init(_ value: Bytes16)
}

extension RandomIdentifier {
    @inlinable package static var byteCount: Int { Bytes16.count }

    /// Nil unless there are exactly ``byteCount`` bytes.
    @inlinable
    package init?(_ bytes: some Collection<UInt8>) {
        guard let value = Bytes16(bytes) else { return nil }
        self.init(value)
    }

    /// Nil unless there are exactly ``byteCount`` bytes.
    @inlinable
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard let value = Bytes16(bytes) else { return nil }
        self.init(value)
    }

    /// A new identifier from the system's generator.
    @inlinable package init() { self.init(.random()) }

    /// Exactly ``byteCount`` bytes.
    @inlinable package var bytes: [UInt8] { value.array }
}

/// Identifies a row, and with it an item, as long as the row exists.
@usableFromInline
package struct ItemIdentifier: RandomIdentifier {
    @usableFromInline package let value: Bytes16
    @inlinable package init(_ value: Bytes16) { self.value = value }
}

/// Identifies a store; every seal of its rows includes it.
@usableFromInline
package struct StoreIdentifier: RandomIdentifier {
    @usableFromInline package let value: Bytes16
    @inlinable package init(_ value: Bytes16) { self.value = value }
}

/// Identifies the keybag with a store's class keys.
@usableFromInline
package struct KeybagIdentifier: RandomIdentifier {
    @usableFromInline package let value: Bytes16
    @inlinable package init(_ value: Bytes16) { self.value = value }
}

/// Identifies a request that changes items, so that it runs once even if it arrives repeatedly.
@usableFromInline
package struct RequestIdentifier: RandomIdentifier {
    @usableFromInline package let value: Bytes16
    @inlinable package init(_ value: Bytes16) { self.value = value }
}
