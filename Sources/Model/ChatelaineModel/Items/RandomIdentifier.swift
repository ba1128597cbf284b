/// Sixteen random bytes that name one thing of one kind, and never a thing of another.
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
package struct ItemIdentifier: RandomIdentifier {
    package let value: Bytes16
    package init(_ value: Bytes16) { self.value = value }
}

/// Names a store in every seal of its rows.
package struct StoreIdentifier: RandomIdentifier {
    package let value: Bytes16
    package init(_ value: Bytes16) { self.value = value }
}

/// Names the keybag that has a store's class keys.
package struct KeybagIdentifier: RandomIdentifier {
    package let value: Bytes16
    package init(_ value: Bytes16) { self.value = value }
}

/// Names a request that changes items, so that it is carried out once however often it comes.
package struct RequestIdentifier: RandomIdentifier {
    package let value: Bytes16
    package init(_ value: Bytes16) { self.value = value }
}
