import CoreFoundation
import Glibc

/// The seam between ``SecRandomCopyBytes(_:_:_:)`` and the kernel, so that a test can make the kernel fail.
package struct RandomBytes: Sendable {
    /// Fills the whole of a region of at most ``limit`` bytes and returns 0, or an errno value.
    let source: @Sendable (UnsafeMutableRawBufferPointer) -> Int32

    /// The most that getentropy(3) takes at once.
    ///
    /// Up to this length the kernel fills everything or nothing, and no signal interrupts it half-way.
    static let limit = 256

    /// getentropy(3), which glibc builds on getrandom(2); Swift's Glibc module does not have getrandom(2).
    package static let system = RandomBytes { region in
        guard let start = region.baseAddress else { return 0 }
        // SAFETY: the region is writable memory of the caller, and its own length goes with it.
        return getentropy(start, region.count) == 0 ? 0 : errno
    }

    /// Fills memory of any length in steps, and repeats a step after an interruption.
    package func fill(_ memory: UnsafeMutableRawBufferPointer) -> OSStatus {
        var rest = memory[...]
        while !rest.isEmpty {
            let step = rest.prefix(Self.limit)
            switch source(UnsafeMutableRawBufferPointer(rebasing: step)) {
            case 0: rest = rest.dropFirst(step.count)
            case EINTR: continue
            case EFAULT: return errSecParam
            default: return errSecInternalComponent
            }
        }
        return errSecSuccess
    }
}
