import Glibc

/// What a look brought: descriptors, which whoever gets them closes, or the number of an error.
public struct Sighting: Sendable {
    /// 0 where it succeeded.
    public let error: Int32
    /// Close-on-exec; most sights are one.
    public let descriptors: [Int32]

    public init(error: Int32) {
        self.error = error
        descriptors = []
    }

    public init(descriptors: [Int32]) {
        error = 0
        self.descriptors = descriptors
    }

    /// What a call has opened just now, or why it has not.
    init(opened number: Int32) { self = number >= 0 ? Sighting(descriptors: [number]) : Sighting(error: errno) }
}
