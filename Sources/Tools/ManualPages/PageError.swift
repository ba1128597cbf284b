/// A document or command from which no page can be made, with a reason for its author.
package struct PageError: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
