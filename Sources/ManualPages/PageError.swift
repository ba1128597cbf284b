/// A document or a command from which no page can be made, in words for whoever wrote it.
public struct PageError: Error, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}
