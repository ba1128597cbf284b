import ChatelaineModel

/// Shows several items, as a table for people and as a JSON array.
struct ItemListing {
    let context: ToolContext

    func show(_ items: [FoundItem], asJSON: Bool) throws {
        if asJSON { try writeJSON(items) } else { try writeTable(items) }
    }

    private func writeTable(_ items: [FoundItem]) throws {
        guard !items.isEmpty else { return }
        var table = ItemTable()
        for (index, item) in items.enumerated() {
            table.add(item)
            showProgress(index, of: items.count)
        }
        finishProgress(items.count)
        try context.output.write(table.text)
    }

    private func writeJSON(_ items: [FoundItem]) throws {
        var json = JSONWriter()
        json.beginArray()
        for (index, item) in items.enumerated() {
            json.newline()
            ItemDescription(item: item).write(to: &json)
            try json.flush(to: context.output, always: false)
            showProgress(index, of: items.count)
        }
        finishProgress(items.count)
        if !items.isEmpty { json.end() }
        json.endArray()
        json.end()
        try json.flush(to: context.output)
    }

    private func showProgress(_ index: Int, of count: Int) {
        guard index % Progress.itemsBetweenUpdates == Progress.itemsBetweenUpdates - 1 else { return }
        context.progress.show("\(index + 1) of \(count) items…")
    }

    private func finishProgress(_ count: Int) {
        if count >= Progress.itemsBetweenUpdates { context.progress.finish() }
    }
}
