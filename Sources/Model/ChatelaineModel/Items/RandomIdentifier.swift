/// Sixteen random bytes that name one thing of one kind, and never a thing of another.
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

    /// A fresh one, from the system's random numbers.
    @inlinable package init() { self.init(.random()) }

    /// Exactly ``byteCount`` bytes.
    @inlinable package var bytes: [UInt8] { value.array }
}

/// Names a row, and so an item, for as long as it lives.
@usableFromInline
package struct ItemIdentifier: RandomIdentifier {
    @usableFromInline package let value: Bytes16
    @inlinable package init(_ value: Bytes16) { self.value = value }
}

/// Names a store in every seal of its rows.
@usableFromInline
package struct StoreIdentifier: RandomIdentifier {
    @usableFromInline package let value: Bytes16
    @inlinable package init(_ value: Bytes16) { self.value = value }
}

/// Names the keybag that has a store's class keys.
@usableFromInline
package struct KeybagIdentifier: RandomIdentifier {
    @usableFromInline package let value: Bytes16
    @inlinable package init(_ value: Bytes16) { self.value = value }
}

/// Names a request that changes items, so that it is carried out once however often it comes.
@usableFromInline
package struct RequestIdentifier: RandomIdentifier {
    @usableFromInline package let value: Bytes16
    @inlinable package init(_ value: Bytes16) { self.value = value }
}
