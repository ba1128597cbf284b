/// The type of the allocator argument that many calls take.
///
/// Swift manages the memory here, so that an allocator has no effect on objects and programs cannot make one. Only
/// ``CFDataCreateWithBytesNoCopy(_:_:_:_:)`` uses an allocator: it decides what happens to the bytes.
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
