/// The subject of an access decision: a program of one user.
///
/// An application identifier alone means one program per user: the same file, run by another user, is another
/// principal. So every grant, count and memory belongs to an identifier together with its user.
package struct Principal: Hashable, Sendable {
    /// The user id that the kernel reports for the process.
    package let user: UInt32
    /// The application identifier, which is derived from what the process runs and never from what a caller says.
    package let application: AccessGroup

    package init(user: UInt32, application: AccessGroup) {
        self.user = user
        self.application = application
    }

    /// An encoding for digests, unique to the principal: an array of user and identifier.
    package var encoded: [UInt8] {
        var writer = CBORWriter(capacity: application.text.utf8.count + 16)
        writer.writeArray(count: 2)
        writer.write(UInt64(user))
        writer.write(application.text)
        return writer.finishArray()
    }
}
