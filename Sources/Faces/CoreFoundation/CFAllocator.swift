/// The type of the allocator argument that many calls take.
///
/// Memory here is Swift's own, so that no allocator has an effect on objects and none can be made. It says what becomes of bytes that
/// are handed over (``CFDataCreateWithBytesNoCopy(_:_:_:_:)``).
public final class CFAllocator: Sendable {
    fileprivate init() {}
}

/// The allocator argument that means "the usual one"; nil, as on Apple's platforms.
public let kCFAllocatorDefault: CFAllocator! = nil
/// The usual allocator by another name.
public let kCFAllocatorSystemDefault: CFAllocator! = CFAllocator()
/// The allocator of malloc(3), which is the usual one.
public let kCFAllocatorMalloc: CFAllocator! = CFAllocator()
/// The allocator that frees nothing, for bytes that stay the caller's.
public let kCFAllocatorNull: CFAllocator! = CFAllocator()
