import { documents, picture, type ShippedTemplate, titleAndSlug, to, toAll, withSlugs } from './vocabulary.ts'

const variant = (name: string, price: number, stock: number, sku: string) => ({ name, price, stock, sku })

/** A small shop of household goods. */
export const shop: ShippedTemplate = {
  id: 'shop',
  name: ['ショップ', 'Shop'],
  description: [
    '暮らしの道具を商う小さな店です。商品の種類（サイズや色）ごとの価格と在庫、画像のギャラリーを備えています。',
    'A small shop of household goods: prices and stock for each variant, a gallery of its products.',
  ],
  icon: '🧺',
  cover: 'shop-front',
  customTypes: [
    {
      uid: 'variant',
      name: ['種類', 'Variant'],
      description: [
        'サイズや色の違い。価格と在庫は、ここで持ちます。',
        'Sizes or colours, each with its price and stock.',
      ],
      fields: [
        { uid: 'name', name: ['名前', 'Name'], type: 'TEXT', required: true, maxLength: 40 },
        { uid: 'sku', name: ['商品番号', 'SKU'], type: 'TEXT', pattern: '^[A-Z0-9-]+$', width: 'half' },
        {
          uid: 'price',
          name: ['価格（税込・円）', 'Price (yen, tax included)'],
          type: 'NUMBER',
          integer: true,
          min: 0,
          required: true,
          width: 'half',
        },
        { uid: 'stock', name: ['在庫数', 'In stock'], type: 'NUMBER', integer: true, min: 0, width: 'half' },
      ],
    },
    {
      uid: 'spec',
      name: ['仕様', 'Specification'],
      fields: [
        { uid: 'label', name: ['項目', 'Item'], type: 'TEXT', required: true, width: 'half' },
        { uid: 'value', name: ['内容', 'Value'], type: 'TEXT', required: true, width: 'half' },
      ],
    },
  ],
  models: [
    {
      uid: 'product',
      name: ['商品', 'Products'],
      fields: [
        ...titleAndSlug('name', ['商品名', 'Name'], 50),
        { uid: 'catch', name: ['ひとこと', 'Tagline'], type: 'TEXT', maxLength: 50 },
        {
          uid: 'images',
          name: ['画像', 'Pictures'],
          type: 'IMAGE',
          multiple: true,
          minItems: 1,
          maxItems: 8,
        },
        {
          uid: 'category',
          name: ['カテゴリ', 'Category'],
          type: 'REFERENCE',
          modelUid: 'category',
          required: true,
          width: 'half',
        },
        {
          uid: 'status',
          name: ['販売', 'Availability'],
          type: 'SELECT',
          inputType: 'radio',
          options: [
            { value: 'onSale', label: ['販売中', 'On sale'] },
            { value: 'preOrder', label: ['予約受付中', 'Pre-order'] },
            { value: 'ended', label: ['販売終了', 'No longer sold'] },
          ],
          defaultValue: 'onSale',
          required: true,
          width: 'half',
        },
        {
          uid: 'variants',
          name: ['種類と価格', 'Variants and prices'],
          type: 'CUSTOM',
          customType: 'variant',
          multiple: true,
          minItems: 1,
          tab: ['価格と在庫', 'Prices and stock'],
        },
        { uid: 'description', name: ['説明', 'Description'], type: 'RICH_TEXT' },
        {
          uid: 'specs',
          name: ['仕様', 'Specifications'],
          type: 'CUSTOM',
          customType: 'spec',
          multiple: true,
          tab: ['仕様', 'Specifications'],
        },
        { uid: 'care', name: ['お手入れ', 'Care'], type: 'MARKDOWN', tab: ['仕様', 'Specifications'] },
        {
          uid: 'related',
          name: ['いっしょに使うもの', 'Goes with'],
          type: 'REFERENCE',
          modelUid: 'product',
          multiple: true,
          maxItems: 4,
        },
      ],
      views: [
        {
          name: ['ギャラリー', 'Gallery'],
          type: 'GALLERY',
          settings: { cover: 'images', aspect: 'square', size: 'medium' },
        },
        {
          name: ['販売中', 'On sale'],
          type: 'TABLE',
          settings: {
            filters: [{ field: 'status', op: 'eq', value: 'onSale' }],
            columns: [{ id: '_sys.status' }, { id: 'images' }, { id: 'category' }, { id: '_sys.updatedAt' }],
          },
        },
      ],
      documents: withSlugs(
        [
          'linen-cloth',
          3,
          {
            name: '麻の台ふきん',
            catch: '使うほど水を吸う、二枚組。',
            images: [picture('linen-cloth')],
            category: to('category/kitchen'),
            status: 'onSale',
            variants: [variant('生成り', 1320, 48, 'CL-LIN-N'), variant('藍の縞', 1430, 21, 'CL-LIN-B')],
            description:
              '<p>織りたての麻は、少しこわばっています。十回ほど洗ったころから糸がほぐれ、驚くほど水を吸うようになります。一枚は食器に、もう一枚は台に。乾くのが早いので、二枚あればひと夏まわせます。</p>',
            specs: [
              { label: '素材', value: '麻 100%' },
              { label: '大きさ', value: '32 × 40 cm' },
              { label: '枚数', value: '二枚組' },
            ],
            care: '- 漂白剤は使わず、**煮洗い**がおすすめです\n- 乾燥機にかけると縮みます',
            related: toAll('product', 'camphor-block'),
          },
        ],
        [
          'round-kettle',
          8,
          {
            name: 'まるい湯沸かし',
            catch: '一・二リットルが、七分で沸く。',
            images: [picture('round-kettle')],
            category: to('category/kitchen'),
            status: 'onSale',
            variants: [variant('白', 8800, 6, 'KT-RD-W'), variant('深緑', 8800, 3, 'KT-RD-G')],
            description:
              '<p>底が広く、火がよくまわるかたちです。注ぎ口は細く、ドリップにもそのまま使えます。ふたのつまみは木なので、沸いたあとも素手で持てます。</p><p>ほうろうは<strong>急な冷えとぶつけること</strong>が苦手です。空だきのあとは、そのまま冷めるのを待ってください。</p>',
            specs: [
              { label: '容量', value: '1.2 L（満水 1.5 L）' },
              { label: '重さ', value: '780 g' },
              { label: '熱源', value: 'ガス・IH' },
            ],
            related: toAll('product', 'porcelain-mug'),
          },
        ],
        [
          'porcelain-mug',
          12,
          {
            name: '半磁器のマグ',
            catch: '毎朝の、両手のために。',
            images: [picture('mug')],
            category: to('category/table'),
            status: 'onSale',
            variants: [
              variant('乳白', 2640, 30, 'MG-W'),
              variant('灰青', 2640, 17, 'MG-B'),
              variant('飴', 2860, 0, 'MG-A'),
            ],
            description:
              '<p>厚みは三ミリ。重すぎず、冷めにくく、口あたりはやわらかい。取っ手には指が三本、無理なく入ります。底を平らに広くとったので、書きものの机に置いても倒れにくいはずです。</p>',
            specs: [
              { label: '容量', value: '300 ml' },
              { label: '電子レンジ', value: '使えます' },
              { label: '食洗機', value: '使えます' },
            ],
            related: toAll('product', 'round-kettle', 'oak-tray'),
          },
        ],
        [
          'oak-tray',
          19,
          {
            name: '楢のトレイ',
            catch: '一人ぶんの朝食が、ちょうど載る。',
            images: [picture('tray')],
            category: to('category/table'),
            status: 'onSale',
            variants: [variant('小', 4180, 12, 'TR-S'), variant('大', 5720, 9, 'TR-L')],
            description:
              '<p>楢の木を一枚から彫り出しました。縁はわずかに内へ倒してあり、片手で持っても器が滑りません。仕上げは蜜蝋だけ。しみがついたら、細かいやすりで軽くこすって、また塗ってください。</p>',
            specs: [
              { label: '素材', value: 'ナラ無垢材、蜜蝋' },
              { label: '大きさ', value: '小 30 × 20 cm／大 36 × 26 cm' },
            ],
            care: '月に一度、蜜蝋を薄くのばして一晩おく。',
            related: toAll('product', 'porcelain-mug'),
          },
        ],
        [
          'camphor-block',
          26,
          {
            name: '樟の木片',
            catch: '衣替えの引き出しに、森の香りを。',
            images: [picture('camphor')],
            category: to('category/living'),
            status: 'onSale',
            variants: [variant('六個入り', 1100, 64, 'CM-6'), variant('十二個入り', 1980, 22, 'CM-12')],
            description:
              '<p>樟は、昔から虫よけに使われてきた木です。香りが薄くなったら、紙やすりで表面をひとなで。何年もくり返し使えます。木目と色は一つずつ違います。</p>',
            specs: [
              { label: '素材', value: 'クスノキ' },
              { label: '大きさ', value: '約 4 × 4 × 2 cm' },
            ],
          },
        ],
        [
          'canvas-bag',
          34,
          {
            name: '帆布の買いものかばん',
            catch: '一升瓶も、長ねぎも。',
            images: [picture('bag')],
            category: to('category/living'),
            status: 'onSale',
            variants: [
              variant('生成り', 6380, 15, 'BG-N'),
              variant('からし', 6380, 8, 'BG-M'),
              variant('墨', 6380, 11, 'BG-K'),
            ],
            description:
              '<p>八号の帆布を、持ち手から底まで一本の帯で支えました。重いものを入れても、かたちが崩れません。内側には鍵と財布のための小さなポケットが二つ。</p>',
            specs: [
              { label: '素材', value: '綿 100%（八号帆布）' },
              { label: '大きさ', value: '38 × 34 × 16 cm' },
            ],
            care: '汚れたところだけを、ぬるま湯でたたくように洗う。',
          },
        ],
        [
          'reading-lamp',
          41,
          {
            name: '書きもの机の灯り',
            catch: '手もとだけを、静かに照らす。',
            images: [picture('lamp')],
            category: to('category/living'),
            status: 'preOrder',
            variants: [variant('白', 16500, 0, 'LP-W')],
            description:
              '<p>傘の内側を白く、外側をつや消しに。光は机の上の六十センチにだけ落ちます。腕の角度は無段階に変えられ、止めねじはありません。次の入荷は来月の終わりごろです。</p>',
            specs: [
              { label: '光源', value: 'LED 6 W（交換できます）' },
              { label: '高さ', value: '最大 52 cm' },
            ],
          },
        ],
        [
          'beeswax-candle',
          55,
          {
            name: '蜜蝋のろうそく',
            catch: 'あかりが消えたあとの、甘い匂い。',
            images: [picture('candle')],
            category: to('category/living'),
            status: 'ended',
            variants: [variant('三本入り', 1870, 0, 'CD-3')],
            description:
              '<p>一人で巣箱を守っていた養蜂家が仕事をたたまれたため、この品はおしまいになりました。長いあいだ、ありがとうございました。</p>',
            specs: [{ label: '燃焼時間', value: '一本あたり約四時間' }],
          },
        ],
      ),
    },
    {
      uid: 'category',
      name: ['カテゴリ', 'Categories'],
      fields: [
        ...titleAndSlug('name', ['名前', 'Name'], 20),
        {
          uid: 'description',
          name: ['説明', 'Description'],
          type: 'TEXT',
          inputType: 'textarea',
          maxLength: 120,
        },
      ],
      documents: withSlugs(
        ['kitchen', 90, { name: '台所', description: '火と水のそばで、毎日使うもの。' }],
        ['table', 90, { name: '食卓', description: '器と、それを運ぶもの。' }],
        ['living', 90, { name: '居間と玄関', description: '部屋に置いて、長くつきあうもの。' }],
      ),
    },
    {
      uid: 'guide',
      name: ['お買いものの手引き', 'Shopping guide'],
      description: ['送料や返品など、決まりごとのページ。', 'Pages on delivery, returns and so on.'],
      fields: [
        { uid: 'title', name: ['見出し', 'Title'], type: 'TEXT', required: true },
        { uid: 'body', name: ['本文', 'Body'], type: 'MARKDOWN', required: true },
      ],
      documents: documents(
        [
          'delivery',
          90,
          {
            title: '送料とお届け',
            body: '全国一律 **660 円**です。一回のお買いものが 11,000 円を超えると、送料はいただきません。\n\n| 地域 | お届けの目安 |\n|---|---|\n| 本州・四国 | 翌日〜二日 |\n| 北海道・九州 | 二日〜三日 |\n| 沖縄・離島 | 四日〜一週間 |',
          },
        ],
        [
          'payment',
          90,
          {
            title: 'お支払い',
            body: 'クレジットカード、銀行振込、代金引換（手数料 330 円）がご利用いただけます。銀行振込の場合は、ご入金を確かめてから発送します。',
          },
        ],
        [
          'returns',
          90,
          {
            title: '返品と交換',
            body: '届いてから **八日以内**にご連絡ください。割れや傷があったときの送料は当店が持ちます。\n\n使いはじめたあとの返品はお受けできませんが、修理のご相談はいつでもどうぞ。',
          },
        ],
      ),
    },
  ],
  pictures: {
    'shop-front': '日よけの下に籠と鉢植えを並べた、小さな店の正面',
    'linen-cloth': '二枚に重ねてたたまれた、縞の台ふきん',
    'round-kettle': '湯気を立てる、まるい白の湯沸かし',
    mug: '湯気の立つ、灰青色のマグ',
    tray: '小皿と茶碗を載せた木のトレイ',
    camphor: '積み重ねた、木目の見える木片',
    bag: '長ねぎのはみ出した、生成りの買いものかばん',
    lamp: '机を照らす、首の曲がった灯り',
    candle: '三本の、炎のともったろうそく',
  },
}
