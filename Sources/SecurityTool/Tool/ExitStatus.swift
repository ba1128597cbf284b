import ChatelaineModel

/// What the shell sees.
enum ExitStatus {
    static let success: Int32 = 0
    /// Unknown verbs, and failures that no `OSStatus` describes.
    static let failure: Int32 = 1
    static let usage: Int32 = 2
    /// A prompt that could not be answered, as in Apple's tool.
    static let promptFailed: Int32 = 255

    /// The low byte of a status, and never 0 for a failure.
    static func of(_ status: Status) -> Int32 {
        let low = status.rawValue & 0xFF
        return low == 0 && status != .success ? failure : low
    }
}
