/// The type of the allocator argument that many calls take.
///
/// Memory here is Swift's own, so no allocator has an effect and none can be made: pass ``kCFAllocatorDefault`` or
/// `nil`.
public final class CFAllocator: Sendable {
    private init() {}
}

/// The allocator argument that means "the usual one"; nil, as on Apple's platforms.
public let kCFAllocatorDefault: CFAllocator! = nil
