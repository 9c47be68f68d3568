/// What pages of a structure consist of, as a block stores them: the one place that knows which fields lie where.
///
/// Fields of neighbours differ little. So a block holds each field of all its pages as a column, and what no page uses
/// is not stored.
struct PageColumns: Sendable {
    /// What a value is stored as.
    enum Form: Sendable {
        case plain
        /// The difference to the value before.
        case difference
        /// The difference to the value before in the page.
        case differenceInPage
    }

    /// A field that each page has, once or several times.
    struct Field: Sendable {
        /// From the beginning of the page, or of the item.
        let offset: Int
        /// Of a value: 1, 2, 4 or 8.
        let bytes: Int
        let form: Form
        /// How many values a page has, one each `stride` bytes.
        var count = 1
        var stride = 0

        init(at offset: Int, bytes: Int, _ form: Form) {
            self.offset = offset
            self.bytes = bytes
            self.form = form
        }

        /// An array of values.
        init(at offset: Int, bytes: Int, _ form: Form, count: Int, stride: Int) {
            self.init(at: offset, bytes: bytes, form)
            self.count = count
            self.stride = stride
        }
    }

    /// Items behind the fields, as many as these say.
    struct Items: Sendable {
        let bytes: Int
        let fields: [Field]
        /// Where the items of a page begin, and how many there are. Of any page whose fields were read: the caller checks that
        /// they fit.
        let extent: @Sendable (Page) -> (start: Int, count: Int)
    }

    let fields: [Field]
    /// Nil where a page has fields alone.
    let items: Items?

    private init(_ fields: [Field], _ items: Items? = nil) {
        // Kind and size are those of the run, and the version that made a page says whether there is one.
        self.fields = [Field(at: 12, bytes: 4, .difference)] + fields
        self.items = items
    }

    /// A page has that many bytes at least.
    var fieldsEnd: Int {
        fields.map { $0.offset + ($0.count - 1) * $0.stride + $0.bytes }.max() ?? 0
    }

    /// Where the items of a page are; nil where they do not fit it.
    func extent(of page: Page) -> (start: Int, count: Int)? {
        guard let items else { return (0, 0) }
        let (start, count) = items.extent(page)
        guard start <= page.byteCount, count >= 0, count <= (page.byteCount - start) / items.bytes
        else { return nil }
        return (start, count)
    }

    // MARK: Structures

    static func of(_ kind: PageKind) -> PageColumns? {
        switch kind.structure {
        case .rowNode, .linkNode: arrayNode
        case .idNode: idNode
        case .keyPage: keyPage
        case .listPage: kind.level == 0 ? listLeaf : listNode
        case .rowLeaf: rowLeaf
        case .linkLeaf: linkLeaf
        case .idBucket: idBucket
        case .largeContent: largeContent
        case nil: nil
        }
    }

    private static let bytes = [Field(at: 0, bytes: 1, .plain)]

    private static let arrayNode = PageColumns([
        Field(at: Page.headerBytes, bytes: 4, .difference, count: 64, stride: 4)
    ])

    private static let idNode = PageColumns(
        [],
        Items(bytes: 1, fields: bytes) { _ in
            (Page.headerBytes, IDMap.nodeBytes - Page.headerBytes)
        })

    private static let keyPage = PageColumns(
        [],
        Items(bytes: 1, fields: bytes) { page in
            (Page.headerBytes, page.byteCount - Page.headerBytes)
        })

    private static let listLevel = Field(at: Page.headerBytes, bytes: 4, .plain)

    private static let listLeaf = PageColumns(
        [listLevel],
        Items(bytes: 4, fields: [Field(at: 0, bytes: 4, .difference)]) { page in
            (ListPage.items, page.count)
        })

    private static let listNode = PageColumns(
        [listLevel],
        Items(
            bytes: 8,
            fields: [Field(at: 0, bytes: 4, .difference), Field(at: 4, bytes: 4, .plain)]
        ) { page in
            (ListPage.items, page.count)
        })

    private static let rowLeaf: PageColumns = {
        let geometry = RowLeaf.Geometry.standard
        func field(_ offset: Int, _ bytes: Int, _ form: Form, stride: Int? = nil) -> Field {
            Field(
                at: offset, bytes: bytes, form, count: geometry.slotCount, stride: stride ?? bytes)
        }
        let stamps = [0, 8, 16].map {
            field(geometry.stamps + $0, 8, .difference, stride: RowLeaf.stampBytes)
        }
        return PageColumns(
            [field(geometry.ends, 2, .differenceInPage), field(geometry.idCounts, 2, .plain)]
                + [field(geometry.flags, 1, .plain)] + stamps
                + [field(geometry.revisions, 4, .difference), field(geometry.orders, 4, .plain)],
            Items(bytes: 1, fields: bytes) { page in
                guard page.count <= geometry.slotCount else { return (page.byteCount, 1) }
                return (geometry.body, RowLeaf(page: page, geometry: geometry).bodyCount)
            })
    }()

    private static let linkLeaf = PageColumns(
        [
            Field(
                at: Page.headerBytes, bytes: 4, .plain, count: 1 << LinkMap.holderBitsStandard,
                stride: 4)
        ],
        Items(bytes: 4, fields: [Field(at: 0, bytes: 4, .difference)]) { page in
            let leaf = LinkLeaf.standard(page)
            return (leaf.lists, leaf.wordCount)
        })

    private static let idBucket = PageColumns(
        [],
        Items(
            bytes: IDBucket.itemBytes,
            fields: [Field(at: 0, bytes: 4, .difference), Field(at: 4, bytes: 4, .plain)]
        ) { page in
            (Page.headerBytes, page.count)
        })

    private static let largeContent = PageColumns(
        [Field(at: Page.headerBytes, bytes: 8, .plain)],
        Items(bytes: 1, fields: bytes) { page in
            (LargeContent.body, Int(clamping: page.load(Page.headerBytes, as: UInt64.self)))
        })
}
