/// A document or a command from which no page can be made, in words for whoever wrote it.
package struct PageError: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
