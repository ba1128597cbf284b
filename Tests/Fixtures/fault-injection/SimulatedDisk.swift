import Glibc
import TestSupport
import seam

/// A disk with a cache that a power cut loses: synced data stays, any of the rest may stay.
///
/// A sector of 512 bytes is written whole or not at all, and the sectors of a file in any order. Each folder keeps the
/// first changes of its names, up to any one. Syncing a file does not sync its name. Syncing a folder makes its names
/// durable, and the changes on which they depend.
struct SimulatedDisk {
    private static let sector = 512

    private enum Change {
        case write(offset: Int, bytes: [UInt8])
        case size(Int)

        /// The minimum size of the file after this change.
        var end: Int {
            switch self {
            case .write(let offset, let bytes): offset + bytes.count
            case .size(let size): size
            }
        }
    }

    private struct File {
        var durable: [UInt8] = []
        var pending: [Change] = []
    }

    /// A change of names, with its folders.
    private struct NameChange {
        var removed: (folder: Int, name: String)?
        var added: (folder: Int, name: String, node: Int)?
        var folders: [Int] { [removed?.folder, added?.folder].compactMap { $0 } }
    }

    private var files: [Int: File] = [:]
    /// The names in each folder, as programs see them and as they are on disk.
    private var live: [Int: [String: Int]] = [0: [:]]
    private var durable: [Int: [String: Int]] = [0: [:]]
    private var pending: [NameChange] = []
    private var descriptors: [UInt64: Int] = [:]
    private var nextNode = 1
    private let root: String

    struct Unknown: Error { let what: String }

    /// A disk on which everything of a tree is durable, mounted at `root`.
    init(_ tree: Tree, at root: String) throws {
        self.root = root
        for folder in tree.folders.sorted() { try add(folder, File?.none) }
        for (name, content) in tree.files { try add(name, File(durable: content)) }
        for (name, first) in tree.links {
            let (from, to) = (try place(first, in: 0), try place(name, in: 0))
            let node = live[from.folder]?[from.name]
            live[to.folder]?[to.name] = node
        }
        durable = live
    }

    private mutating func add(_ path: String, _ file: File?) throws {
        let (folder, name) = try place(path, in: 0)
        let node = nextNode
        nextNode += 1
        live[folder]?[name] = node
        if let file { files[node] = file } else { live[node] = [:] }
    }

    /// The folder and the last name of a path.
    private func place(_ path: String, in start: Int) throws -> (folder: Int, name: String) {
        var rest = path[...]
        if path.hasPrefix(root) { rest = path.dropFirst(root.count) }
        var names = rest.split(separator: "/").map { String($0) }
        guard let last = names.popLast() else { return (0, ".") }
        var folder = path.hasPrefix("/") ? 0 : start
        for name in names {
            guard let next = live[folder]?[name] else { throw Unknown(what: path) }
            folder = next
        }
        return (folder, last)
    }

    private func folder(_ serial: UInt64) -> Int { serial == 0 ? 0 : descriptors[serial] ?? 0 }

    // MARK: What programs do

    mutating func apply(_ entry: seam_entry) throws {
        let path = entry.path.map { String(cString: $0) } ?? ""
        switch seam_event(UInt32(entry.event)) {
        case SEAM_DID_OPEN: try open(entry, path)
        case SEAM_DID_WRITE:
            let bytes = UnsafeBufferPointer(start: entry.bytes, count: entry.size)
            try change(entry.first, .write(offset: Int(entry.offset), bytes: Array(bytes)))
        case SEAM_DID_TRUNCATE: try change(entry.first, .size(Int(entry.offset)))
        case SEAM_DID_SYNC: sync(entry.first)
        case SEAM_DID_RENAME:
            let from = try place(path, in: folder(entry.first))
            let to = try place(entry.other_path.map { String(cString: $0) } ?? "", in: folder(entry.second))
            guard let node = live[from.folder]?.removeValue(forKey: from.name) else { throw Unknown(what: path) }
            live[to.folder]?[to.name] = node
            pending.append(NameChange(removed: from, added: (to.folder, to.name, node)))
        case SEAM_DID_LINK:
            let from = try place(path, in: folder(entry.first))
            let to = try place(entry.other_path.map { String(cString: $0) } ?? "", in: folder(entry.second))
            guard let node = live[from.folder]?[from.name] else { throw Unknown(what: path) }
            live[to.folder]?[to.name] = node
            pending.append(NameChange(added: (to.folder, to.name, node)))
        case SEAM_DID_REMOVE:
            let from = try place(path, in: folder(entry.first))
            live[from.folder]?[from.name] = nil
            pending.append(NameChange(removed: from))
        case SEAM_DID_MAKE_FOLDER:
            let to = try place(path, in: folder(entry.first))
            live[nextNode] = [:]
            durable[nextNode] = [:]
            link(to)
        default: break
        }
    }

    private mutating func link(_ to: (folder: Int, name: String)) {
        live[to.folder]?[to.name] = nextNode
        pending.append(NameChange(added: (to.folder, to.name, nextNode)))
        nextNode += 1
    }

    private mutating func open(_ entry: seam_entry, _ path: String) throws {
        let to = try place(path, in: folder(entry.second))
        if to.name == "." {
            descriptors[entry.first] = 0
            return
        }
        if to.name == ".." {
            descriptors[entry.first] = live.first { $0.value.values.contains(folder(entry.second)) }?.key ?? 0
            return
        }
        if live[to.folder]?[to.name] == nil {
            files[nextNode] = File()
            link(to)
        } else if entry.flags & O_TRUNC != 0, let node = live[to.folder]?[to.name] {
            files[node]?.pending.append(.size(0))
        }
        descriptors[entry.first] = live[to.folder]?[to.name]
    }

    private mutating func change(_ serial: UInt64, _ change: Change) throws {
        guard let node = descriptors[serial] else { throw Unknown(what: "descriptor \(serial)") }
        files[node]?.pending.append(change)
    }

    private mutating func sync(_ serial: UInt64) {
        guard let node = descriptors[serial] else { return }
        if files[node] != nil {
            files[node] = File(durable: content(node) { _, _ in .max })
        } else {
            syncNames(of: node)
        }
    }

    /// Makes the changes of a folder durable, and all earlier changes on which they depend.
    private mutating func syncNames(of folder: Int) {
        var touched: Set<Int> = [folder]
        var kept: [NameChange] = []
        var done: [NameChange] = []
        for change in pending.reversed() {
            if change.folders.contains(where: { touched.contains($0) }) {
                touched.formUnion(change.folders)
                done.append(change)
            } else {
                kept.append(change)
            }
        }
        for change in done.reversed() { Self.apply(change, to: &durable) }
        pending = kept.reversed()
    }

    private static func apply(_ change: NameChange, to names: inout [Int: [String: Int]]) {
        if let (folder, name) = change.removed { names[folder]?[name] = nil }
        if let (folder, name, node) = change.added { names[folder]?[name] = node }
    }

    // MARK: What is left of it

    /// What a power cut leaves.
    enum Arrangement {
        /// Only synced data.
        case synced
        /// All data: the process was killed, but the power stayed.
        case everything
        /// Synced data, and a random part of the rest.
        case torn
    }

    func surviving(_ arrangement: Arrangement, _ random: inout SeededGenerator) -> Tree {
        var names = durable
        switch arrangement {
        case .synced: break
        case .everything: names = live
        case .torn:
            var ended: Set<Int> = []
            for change in pending {
                if change.folders.contains(where: { ended.contains($0) }) || Int.random(in: 0..<3, using: &random) == 0
                {
                    ended.formUnion(change.folders)
                } else {
                    Self.apply(change, to: &names)
                }
            }
        }
        var tree = Tree()
        var first: [Int: String] = [:]
        collect(0, "", names, arrangement, &random, &tree, &first)
        return tree
    }

    private func collect(
        _ folder: Int, _ prefix: String, _ names: [Int: [String: Int]], _ arrangement: Arrangement,
        _ random: inout SeededGenerator, _ tree: inout Tree, _ first: inout [Int: String]
    ) {
        for (name, node) in (names[folder] ?? [:]).sorted(by: { $0.key < $1.key }) {
            if files[node] == nil {
                tree.folders.insert(prefix + name)
                collect(node, prefix + name + "/", names, arrangement, &random, &tree, &first)
            } else if let other = first[node] {
                tree.links[prefix + name] = other
            } else {
                first[node] = prefix + name
                tree.files[prefix + name] = survivor(node, arrangement, &random)
            }
        }
    }

    private func survivor(_ node: Int, _ arrangement: Arrangement, _ random: inout SeededGenerator) -> [UInt8] {
        guard let file = files[node] else { return [] }
        switch arrangement {
        case .synced: return file.durable
        case .everything: return content(node) { _, _ in .max }
        case .torn:
            guard !file.pending.isEmpty else { return file.durable }
            var limits: [Int: Int] = [:]
            var generator = random
            // Each sector gets none, all or any number of the changes by itself; often all sectors get the same number.
            let common = Int.random(in: 0...file.pending.count, using: &generator)
            let isAlike = Bool.random(using: &generator)
            let size = Int.random(in: 0...file.pending.count, using: &generator)
            let content = content(node) { sector, isSize in
                if isSize { return isAlike ? common : size }
                if isAlike { return common }
                if let limit = limits[sector] { return limit }
                let limit = Int.random(in: 0...file.pending.count, using: &generator)
                limits[sector] = limit
                return limit
            }
            random = generator
            return content
        }
    }

    /// The content of a file with the first of its changes; `limit` has their number for each sector and for the size.
    ///
    /// The tests spend half their time here, in a debug build, where a generic copy costs a hundred times a memcpy(3).
    private func content(_ node: Int, limit: (_ sector: Int, _ isSize: Bool) -> Int) -> [UInt8] {
        guard let file = files[node] else { return [] }
        let longest = file.pending.reduce(file.durable.count) { max($0, $1.end) }
        var size = file.durable.count
        let sizeLimit = limit(0, true)
        return [UInt8](unsafeUninitializedCapacity: longest) { content, count in
            let content = UnsafeMutableRawBufferPointer(content)
            // An empty file has no base address.
            guard let start = content.baseAddress else { return }
            // SAFETY: nothing lies beyond `longest`, the largest end of what is copied here.
            memset(start, 0, longest)
            file.durable.withUnsafeBytes { content.copyMemory(from: $0) }
            for (index, change) in file.pending.enumerated() {
                switch change {
                case .size(let new):
                    guard index < sizeLimit else { continue }
                    memset(start + new, 0, longest - new)
                    size = new
                case .write(let offset, let bytes):
                    if index < sizeLimit { size = max(size, change.end) }
                    var place = offset
                    while place < change.end {
                        let sector = place / Self.sector
                        let end = min(change.end, (sector + 1) * Self.sector)
                        if index < limit(sector, false) {
                            let part = place - offset..<end - offset
                            bytes.withUnsafeBytes {
                                UnsafeMutableRawBufferPointer(rebasing: content[place..<end])
                                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[part]))
                            }
                        }
                        place = end
                    }
                }
            }
            count = size
        }
    }
}
