import ChatelaineModel
import Foundation

/// A file keychain of version 1, as the code of that time made it: its header and the wrapped key of a row.
///
/// It never changes. Other code computed the results a second time, from `file-keychain-header.md` and `seals.md`
/// alone.
enum KeychainOfVersion1 {
    static let password = "swordfish"
    static let header = bytes(
        "qwB4GmNoYXRlbGFpbmUga2V5Y2hhaW4gaGVhZGVyAQECUKPlHtPUMjOabe3J4ZqJ5NsDGUwABAIFAQZQYfxQmsZqHcGPPZ5wyv2kywdQEarg"
            + "GnEZmn/Nyn+3OeVAkghYIGALa6vBELIZK+cxx2CDtwK9sgW3pAEiBgZpF4aPShaWCVg8+kLJEPTL0VX/uz2BdgyTd1XVsMWYy4JAi7d3LOth"
            + "RQfCPjDQw22NV2RGdjTw8yKTsOEmRAyr0ziSQ3wkCkjX1AaGmJsojQ==")
    static let row = ItemIdentifier(bytes("uZsIrx40S/I5a26zfP+2nQ==")) ?? ItemIdentifier()
    static let wrapped = bytes(
        "ibGVb7O937OQ9KkFpIs3qte6XI0JXCJdcB+THYFEDcufi10gmZVF8rOqLCeWz0T12cfY3+TH734TKeKA")
    /// The checksum of the row's key, the attributes' key, and the store's keys in the order of their purposes.
    static let keys = bytes("PWjMEQ/uT6s=")

    private static func bytes(_ text: String) -> [UInt8] { [UInt8](Data(base64Encoded: text) ?? Data()) }
}
