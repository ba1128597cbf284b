/// Whoever access is decided for: a program of one user.
///
/// An application identifier alone names as many programs as there are users: the same file, run by somebody else, is
/// another principal. So nothing is granted to an identifier, counted for it or remembered of it without its user.
package struct Principal: Hashable, Sendable {
    /// The user id, as the kernel says it of the process.
    package let user: UInt32
    /// The application identifier, which is judged from what the process runs and never taken from anybody's words.
    package let application: AccessGroup

    package init(user: UInt32, application: AccessGroup) {
        self.user = user
        self.application = application
    }

    /// The same bytes for the same principal and for no other, to be digested: an array of user and identifier.
    package var encoded: [UInt8] {
        var writer = CBORWriter(capacity: application.text.utf8.count + 16)
        writer.writeArray(count: 2)
        writer.write(UInt64(user))
        writer.write(application.text)
        return writer.finishArray()
    }
}
