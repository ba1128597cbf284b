public enum StatusCatalogue { public struct Entry { public let name: StaticString }; public static func entry(for: Int32) -> Entry? { nil } }
