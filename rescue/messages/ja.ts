import type { FailureCode, FailureDetails } from '#rescue/failure.ts'

/** Reason for a retry, in the categories that the user sees. */
export type Trouble = 'busy' | 'refused' | 'server' | 'slow' | 'unreadable' | 'broken'

const failures: Record<FailureCode, (details: FailureDetails) => string> = {
  token_in_arguments: () =>
    'トークンはコマンドに書かないでください（履歴に残ります）。環境変数 IMORI_RESCUE_API_TOKEN に入れるか、何も指定せずに起動して表示に従って入力してください。',
  token_missing: () =>
    'API トークンがありません。途中のものをトークンなしで続けるときは、「npm run rescue」だけで起動してください。--origin のサーバーから読むときは、環境変数 IMORI_RESCUE_API_TOKEN に入れてください。',
  token_refused: ({ space, view }) =>
    view === 'cdn'
      ? `CDN API トークンがスペース「${space}」で受け付けられませんでした。CDN API トークン（Newt CDN API 用）を確かめて、入れ直してください。`
      : `API トークンがスペース「${space}」で受け付けられませんでした。API トークン（Newt API 用。CDN 用ではないほう）とスペース UID を確かめて、入れ直してください。Newt の API は 2026 年 11 月 24 日に終了しました。`,
  token_garbled: () =>
    '環境変数のトークンに使えない文字が入っています。コピーし直して、もう一度入れてください。',
  not_allowed: ({ view, code }) =>
    code === 'QuotaExceeded'
      ? '利用量の上限に達したため断られました（QuotaExceeded）。時間をおいて、同じコマンドをもう一度実行してください。保存済みの分は残ります。'
      : code === 'IpAddressNotAllowed'
        ? '決まったネットワークからしか読めない設定です（IpAddressNotAllowed）。許可されたネットワークで、同じコマンドをもう一度実行してください。'
        : !code
          ? 'サーバーに届く前に断られました（403）。VPN や社内ネットワークを切って、もう一度実行してください。'
          : `このトークンでは読むことが許されていません（${code}）。${view === 'cdn' ? 'CDN API' : 'API'} トークンの対象にこの App が含まれているかを確かめてください。`,
  app_not_found: ({ space, app }) =>
    `スペース「${space}」に App「${app}」が見つかりません。スペース UID と App UID を確かめて、入れ直してください。`,
  model_not_found: ({ app, model }) =>
    `App「${app}」にモデル「${model}」が見つかりません。モデル UID を確かめて、入れ直してください。`,
  no_network: ({ host, reason }) =>
    `${host} につながりません（${reason}）。Newt の API は 2026 年 11 月 24 日に終了しました。ほかのサーバーから読むときは、インターネット接続とアドレスを確かめて（会社などでプロキシが要るときは --proxy か環境変数 HTTPS_PROXY で指定して）、同じコマンドをもう一度実行してください。続きから再開します。`,
  not_trusted: ({ host, reason }) =>
    `${host} との接続が安全ではありません（${reason}）。パソコンの時計が合っているか、セキュリティソフトや社内ネットワークが通信を見ていないかを確かめてください（見ている場合は、別のネットワークで実行するか、会社の証明書を NODE_EXTRA_CA_CERTS に指定してください）。`,
  host_blocked: ({ host }) =>
    `${host} が社内・自機のアドレスを指しているため、接続しませんでした。VPN や DNS の設定を確かめて、もう一度実行してください。`,
  server_trouble: ({ host, status }) =>
    `${host} がエラー（${status}）を返し続けています。時間をおいて同じコマンドをもう一度実行してください。続きから再開します。Newt の API は 2026 年 11 月 24 日に終了しました。`,
  strange_answer: ({ reason }) =>
    `サーバーから読み取れない答えが返りました（${reason}）。スペース UID とサーバーのアドレスを確かめ、時間をおいて同じコマンドをもう一度実行してください。`,
  disk_full: ({ dir }) =>
    `ディスクの空きがなくなりました。${dir ? `「${dir}」のあるディスク` : 'ディスク'}の空きを増やして、同じコマンドをもう一度実行してください。ここまでの分は残っていて、続きから再開します。`,
  folder_not_writable: ({ dir }) =>
    `フォルダー「${dir ?? ''}」に書き込めません。書き込める場所（ホームフォルダーの中など。同期中の iCloud・OneDrive は避けて）を指定してください。`,
  folder_not_ours: ({ dir }) =>
    `フォルダー「${dir}」には別のファイルがあります。空のフォルダーか新しい名前を指定してください。`,
  folder_of_another: ({ dir, space, app }) =>
    `フォルダー「${dir}」には別の App（スペース「${space}」の「${app}」）の途中経過があります。別のフォルダーを指定してください。`,
  folder_in_use: ({ dir, pid }) =>
    `フォルダー「${dir}」では別の rescue が動いています（プロセス ${pid}）。終わるのを待つか、別のフォルダーを指定してください。`,
  folder_complete: ({ dir }) =>
    `フォルダー「${dir}」には完了したアーカイブがあります。新しく取り直すときは、別のフォルダーを指定してください。`,
  not_an_archive: ({ dir, zip }) =>
    zip
      ? `zip が壊れているか、途中で切れています（${dir}）。元のフォルダーから作り直すか、ほかの控えを調べてください。`
      : `「${dir}」はアーカイブではありません（正しい manifest.json がありません）。rescue で作ったフォルダーか zip を指定してください。`,
  unsafe_names: ({ dir, reason }) =>
    `zip の中のファイル名が、zip の外を指しています（${dir}、${reason}）。誰かが手を加えたものなので、展開せずに、元のフォルダーから作り直してください。`,
  not_finished: ({ dir }) =>
    `「${dir}」の rescue はまだ終わっていません。同じコマンドをもう一度実行して、終わってから調べてください。`,
  interrupted: () => '中断しました。同じコマンドをもう一度実行すると、続きから再開します。',
  usage: ({ reason }) =>
    `指定が正しくありません（${reason}）。使い方は「npm run rescue -- --help」で見られます。`,
  unexpected: ({ reason }) =>
    `思いがけないエラーで止まりました（${reason}）。同じコマンドをもう一度実行してください。繰り返すときは、この行を添えて知らせてください。`,
}

/** All texts that the command prints, in Japanese. */
export const ja = {
  failures,
  error: 'エラー: ',
  help: `Newt の App のアーカイブを、途中から続けたり、壊れていないか調べたりします。

Newt の API は 2026 年 11 月 24 日に終了したため、まだアーカイブにないコンテンツは保存できません。
途中のものは、まだ取れていない画像・ファイルを、置き場所につながるあいだ取りにいけます。

使い方
  npm run rescue                        このフォルダーにある途中のものを、質問に答えながら続けます（おすすめ）
  npm run rescue -- verify フォルダー   アーカイブ（フォルダーか zip）が壊れていないか調べます
  node scripts/rescue.mjs --space UID --app UID --model UID [--model UID]…
  node scripts/rescue.mjs --space UID --app APP:モデル,モデル [--app APP:モデル]…

トークンは環境変数で渡します（コマンドには書けません）
  IMORI_RESCUE_API_TOKEN   API トークン（サーバーから読むときに必須。下書きも読みます）
  IMORI_RESCUE_CDN_TOKEN   CDN API トークン（できるだけ。無いと、公開後に編集中の
                           記事は、公開中の文面が残りません）

オプション
  --space UID         スペース UID
  --app UID           App UID。いくつもあるときは --app blog:article,author --app shop:item
                      （UID に : や , が入るときは、URL と同じ %3A、%2C と書きます）
  --model UID         モデル UID（いくつでも。参照先のモデルは自動でも探します）
  --out フォルダー    保存先（既定は newt-スペース-App。App が複数なら、この中に作ります）
  --zip               zip ファイルも作ります
  --asset-host HOST   独自のストレージのホスト名（いくつでも）
  --proxy URL         プロキシ（既定は環境変数 HTTPS_PROXY。Newt のホストと --asset-host に使います）
  --origin URL        Newt と同じ API を持つ別のサーバーから読みます
  --concurrency N     画像などを同時にいくつ取るか（1〜32、既定 8）
  --max-asset-mb N    これより大きいファイルは取りません（既定 5000）
  --lang ja|en        表示とレポートの言語

API には App やモデルの一覧がありません。名前を挙げなかった App とモデルは保存されません。
App が複数のときは、1 つが失敗しても残りを続け、最後にまとめのレポート newt-スペース-report.md を書きます。

終了コード（App が複数なら、いちばん悪いもの）
  0 完了  3 完了（Newt 側にもう無いものあり）  4 取れなかったものあり（再実行で続き）
  1 エラー  2 指定の誤り  130 中断
`,
  prompts: {
    welcome:
      'Newt の API は 2026 年 11 月 24 日に終了したため、新しいコンテンツは保存できません。途中のものがあれば、まだ取れていない画像・ファイルを取りにいけます。',
    hint: 'いつでも Ctrl-C で中断でき、もう一度実行すると続きから再開します。',
    space: 'スペース UID（管理画面の URL https://app.newt.so/◯◯ の ◯◯）',
    app: 'App UID（管理画面の URL の app/ の次の部分）',
    apiToken: 'API トークン（画面には出ません。途中のものを API なしで続けるときは Enter）',
    cdnToken:
      'CDN API トークン（画面には出ません。無ければ Enter）\n  無いと、公開後に編集中の記事は、公開中の文面が残りません。',
    models:
      'モデル UID を、すべて入れてください（入れなかったモデルは保存されません）\n  空白・カンマ・改行で区切ります。管理画面の URL を、そのまま何行でも貼れます。',
    moreModels: (models: readonly string[]) =>
      `ここまで: ${models.join('、')}\n  足りないモデル UID があれば、入れてください（なければ Enter）`,
    onlyModels: (models: readonly string[]) =>
      `保存するモデル（${models.length}）: ${models.join('、')}\n  これ以外のモデルは保存しません。`,
    keep: '[ ] の中の値でよければ、そのまま Enter を押してください。',
    assetHosts: '独自のストレージのホスト名（使っていなければ Enter）',
    out: '保存先のフォルダー',
    zip: 'zip ファイルも作りますか',
    yesNo: ['はい', 'いいえ'] as [string, string],
    checking: '確かめています…',
    found: (name: string) => `App「${name}」が見つかりました。`,
    modelFound: (model: string, count: number | undefined) =>
      count === 0
        ? `モデル「${model}」: 0 件。コンテンツがありません。UID を確かめてください。`
        : `モデル「${model}」: ${count === undefined ? 'あり' : `${count.toLocaleString('ja')} 件`}`,
    required: '入力してください。',
    badSpace: '英数字と - _ だけで入力してください。管理画面の URL を貼ってもかまいません。',
    badUid: 'UID か、管理画面の URL を入力してください（/ や改行は使えません）。',
    badHost: 'ホスト名だけを、media.example.com のように入力してください。',
    badToken: 'トークンに使えない文字が入っています。コピーし直してください。',
    wasCdnToken:
      'それは Newt CDN API のトークンでした（後で使います）。ここでは「Newt API」のトークンを入れてください。',
    wasApiToken:
      'それは Newt API のトークンです。ここでは「Newt CDN API」のトークンを入れるか、無ければ Enter を押してください。',
    goingOn: 'App の情報は取れませんが、このまま進みます。モデルが読めれば保存できます。',
    goOn: (dir: string, space: string, app: string) =>
      `前回の途中のもの「${dir}」（スペース「${space}」の App「${app}」）があります。続けますか`,
    tryAgain: (apps: readonly string[]) =>
      `${apps.map((app) => `「${app}」`).join('')}をもう一度試しますか（同じ設定で続きから）`,
    withoutApi: 'API から読めません。このまま、まだ取れていない画像・ファイルだけを取りにいきますか',
    noNetwork: (host: string) => `${host} につながりません。`,
    retry: '接続を確かめて Enter を押すと、もう一度試します。',
    retryOrSpace:
      '接続を確かめて Enter を押すと、もう一度試します（スペース UID がちがうときは、入れ直してください）',
    nextApp: (apps: readonly string[]) =>
      `ここまでの App: ${apps.join('、')}\n  ほかの App も続けて保存できます。App UID か URL を入れてください（なければ Enter）`,
    sameApp: 'その App は、もう入っています。',
    otherSpace: '別のスペースの App です。終わってから、もう一度 npm run rescue で保存してください。',
    sameFolder: 'ほかの App の保存先と重なっています。別のフォルダーにしてください。',
    unattended: 'あとは自動で進みます。画面を閉じずに、お待ちください。',
    resume: (dir: string) => `「${dir}」の途中から再開します。`,
  },
  progress: {
    contents: (done: number, total: number) =>
      `コンテンツ ${done.toLocaleString('ja')} / ${total.toLocaleString('ja')}`,
    assets: (done: number, total: number, bytes: string) =>
      `画像・ファイル ${done.toLocaleString('ja')} / ${total.toLocaleString('ja')}（${bytes}）`,
    remaining: (time: string) => `残り約 ${time}`,
    minutes: (minutes: number) => `${minutes} 分`,
    seconds: (seconds: number) => `${seconds} 秒`,
    waiting: (trouble: Trouble, seconds: number) =>
      ({
        busy: `混み合っているので、${seconds} 秒待ちます`,
        refused: `断られたので、${seconds} 秒後にやり直します`,
        server: `サーバーがエラーを返したので、${seconds} 秒後にやり直します`,
        slow: `返事が来ないので、${seconds} 秒後にやり直します`,
        unreadable: `返事が途中で切れたので、${seconds} 秒後にやり直します`,
        broken: `通信が途切れたので、${seconds} 秒後にやり直します`,
      })[trouble],
    oneOf: (number: number, all: number, app: string) => `\n[${number}/${all}] App「${app}」`,
    looking: '実行中の変更がないか見直しています',
    writing: 'アーカイブを書き出しています',
    zipping: 'zip を作っています',
    verifying: (done: number, total: number) =>
      `ファイル ${done.toLocaleString('ja')} / ${total.toLocaleString('ja')} を調べています`,
    foundModel: (model: string, by: string) => `参照「${by}」からモデル「${model}」を見つけ、追加しました。`,
    proxy: (host: string) => `プロキシ ${host} を使います。`,
    resuming: '前回の続きから再開します。',
    notRead: (place: string, reason: string) =>
      `${place} を最後まで読めませんでした。${reason} ほかの分は続けて保存します。`,
    texts: (done: number, total: number) => `Markdown の原文を読んでいます ${done} / ${total}`,
    textsNotRead: (place: string, reason: string) =>
      `${place} の Markdown の原文を最後まで読めませんでした（HTML は保存済みです）。${reason}`,
  },
  done: {
    complete: (models: readonly string[]) => `指定したモデル（${models.join('、')}）は、すべて保存しました。`,
    gaps: (models: readonly string[]) =>
      `指定したモデル（${models.join('、')}）を保存しました。ただし、Newt 側にもう無いもの、たどれなかったものがあります（レポートに一覧があります）。`,
    partial: () => '取れなかったものがあります。同じコマンドをもう一度実行すると、その分だけ取り直します。',
    refused: '断られて取れなかったファイルがあります。時間をおいて、もう一度実行してください。',
    missingModels: (fields: readonly string[]) =>
      `参照先が見つからないものがあります（${fields.join('、')}）。アーカイブにモデルが足りないかもしれません。`,
    models: '保存したモデル:',
    model: (uid: string, count: number) => `${uid} ${count.toLocaleString('ja')} 件`,
    onlyModels: 'これ以外のモデルは保存されていません。',
    emptyModels: (models: readonly string[]) =>
      `0 件のモデルがあります（${models.join('、')}）。UID を確かめてください。`,
    already: (dir: string) => `「${dir}」に、もう保存してあります。`,
    archive: (dir: string) => `保存先: ${dir}`,
    report: (path: string) => `レポート: ${path}`,
    zip: (path: string) => `zip: ${path}`,
    verify: (dir: string) => `確かめるには: npm run rescue -- verify ${dir}`,
  },
  /** Data that archives do not contain, because the APIs do not provide it. */
  notInApi: {
    title: 'アーカイブに入らないもの',
    lines: [
      'フォームに届いたメッセージ',
      'どのコンテンツにも使っていない画像・ファイル',
      'モデルの設定（フィールドの種類、必須、選択肢など）',
    ],
  },
  summary: {
    title: (space: string) => `Newt 保存レポート: スペース ${space}`,
    head: ['App', '結果', 'コンテンツ', '画像・ファイル', '無かったもの', 'レポート'],
    result: {
      complete: '保存しました',
      gaps: '保存しました（Newt に無いものあり）',
      partial: '未完了。もう一度実行してください',
      failed: '保存できませんでした',
    },
    all: (saved: number, all: number) =>
      saved === all
        ? `指定した App ${all} 個の保存が終わりました。`
        : `指定した App ${all} 個のうち、${saved} 個の保存が終わりました。`,
    onlyApps: 'これ以外の App は保存されていません。',
    written: (path: string) => `まとめのレポート: ${path}`,
    together:
      'Imori には、すべての App を一度に取り込めます。App のフォルダーをひとつの zip にまとめて、「移行」の画面でアップロードしてください。',
  },
  report: {
    title: (app: string) => `Newt 保存レポート: ${app}`,
    result: {
      complete: '指定したモデルは、すべて保存しました。',
      gaps: '完了しました。ただし、下の「無かったもの」は Newt から取れませんでした。',
      partial: '**未完了です。** 同じコマンドをもう一度実行すると、取れなかった分だけ取り直します。',
    },
    stopped: (reason: string) =>
      `途中で止まりました。${reason} それまでに受け取ったものは、すべてこのアーカイブに入っています。`,
    source: (space: string, app: string) => `スペース \`${space}\` の App \`${app}\``,
    time: (from: string, to: string) => `実行: ${from} 〜 ${to}（世界時）`,
    contentsTitle: '保存したコンテンツ',
    contentsHead: ['モデル', '下書きを含むすべて', '公開中', '備考'] as string[],
    foundBy: (by: string) => `参照 ${by} から見つけました`,
    noCdn:
      'CDN トークンが無かったので、公開中の内容は別に保存していません。公開後に編集中のものは、編集中の内容だけが入っています。',
    assets: (urls: number, files: number, bytes: string) =>
      `画像・ファイル: ${urls.toLocaleString('ja')} 件のアドレス、${files.toLocaleString('ja')} ファイル、${bytes}`,
    gone: (count: number) =>
      `実行中に Newt から消えたコンテンツ ${count.toLocaleString('ja')} 件は、アーカイブに残してあります。`,
    gapsTitle: '無かったもの',
    noGaps: 'ありません。',
    missingAssets: '画像・ファイル',
    missingReferences: '参照先のコンテンツ',
    unread: (place: string, saved: number, reason: string) =>
      `${place}: 最後まで読めていません（${reason}）。${saved.toLocaleString('ja')} 件は保存しました。`,
    unreadReason: (reason: string) =>
      ({
        model_not_found: 'モデルが見つからない',
        not_allowed: 'このトークンでは許されていない',
        server_trouble: 'サーバーがエラーを返した',
        strange_answer: '答えを読み取れない',
        stopped: '読む前に止まった',
      })[reason] ?? reason,
    hugeContents: '大きすぎるコンテンツ',
    hugeSaved: '大きすぎたので本文だけ保存しました。画像は保存されていません',
    shortCount: (place: string, count: number) =>
      `${place}: サーバーの数える件数より ${count.toLocaleString('ja')} 件少なく、どの読み方でも返ってきませんでした。`,
    hugeLost: '保存できませんでした',
    addModels: (field: string, count: number) =>
      `${field} の参照先 ${count.toLocaleString('ja')} 件は、指定されたどのモデルにもありません。参照先の文章は参照元のコンテンツに入っていますが、その画像は無いことがあります。`,
    emptyModel: 'コンテンツがありません',
    untitled: '（題名なし）',
    usedBy: (uses: number) => `使っているところ（${uses.toLocaleString('ja')}）`,
    appMeta: 'App のアイコン・カバー',
    more: (count: number) => `ほか ${count.toLocaleString('ja')} 件（gaps.ndjson にすべてあります）`,
    checkTitle: '確かめかた',
    checkPlace: 'このフォルダー',
    check: '次のコマンドで、すべてのファイルのハッシュ、件数、参照、画像を調べ直せます。',
    careTitle: '保管について',
    care: '下書きを含みます。公開の場所に置かないでください。複数の場所（別のディスクやクラウド）に写しを置くことをおすすめします。形式は `docs/archive-format.md` に書かれています。',
    reason: (reason: string) =>
      ({
        '404': '見つからない（404）',
        '401': '断られた（401）',
        '403': '断られた（403）',
        '410': '消された（410）',
        not_tried: 'まだ取っていない（その前に止まった）',
        slow: '遅すぎる',
        too_large: '大きすぎる',
        blocked_address: '社内・自機のアドレス',
        bad_url: '正しくないアドレス',
        too_many_redirects: '転送が多すぎる',
        host: 'ホストにつながらない',
        not_the_file: 'ファイルの代わりに、エラーやログインのページが返ってきた',
        other_size: '大きさが毎回違う',
      })[reason] ?? reason,
    differingAssets: '大きさの違う画像・ファイル',
    differingNote:
      'Newt の記録と大きさが違いますが、何度取っても同じものが返ってきたので、そのまま保存しました。開けるか確かめてください。',
    savedWithout: (fields: string) => `次のフィールドのほかは保存しました: ${fields}`,
    foreignImages: (hosts: string) =>
      `本文に埋め込まれた画像のうち、次のホストのものは Newt の画像ではないため、保存していません: ${hosts}。ご自分のストレージなら、\`--asset-host\` に加えてもう一度実行してください。`,
    differs: (bytes: number, said: number) =>
      `${bytes.toLocaleString('ja')} バイト（Newt の記録では ${said.toLocaleString('ja')} バイト）`,
  },
  verify: {
    ok: (files: number, contents: number) =>
      `問題ありません。${files.toLocaleString('ja')} ファイル、${contents.toLocaleString('ja')} 件のコンテンツを調べました。`,
    listed: (count: number) =>
      `Newt 側に無かったもの ${count.toLocaleString('ja')} 件は gaps.ndjson に記録されているとおりです。`,
    partial:
      'このアーカイブは未完了です。「npm run rescue」を実行すると、取れなかったファイルを取りにいきます。',
    signed: (key: string) => `署名されています（鍵 ${key}）。`,
    unsigned: '署名はありません。',
    bad: (count: number) => `問題が ${count.toLocaleString('ja')} 件あります。`,
    what: 'ほかの場所に置いた写しを使ってください。',
    problems: {
      lost: 'ファイルがありません',
      size: '大きさが違います',
      hash: '中身が変わっています',
      extra: '一覧にないファイルがあります',
      count: '件数が違います',
      line: '読めない行があります',
      repeated: '同じ ID が二度あります',
      reference: '参照先がありません',
      asset: '画像・ファイルがありません',
      name: 'ファイルの名前が中身と合いません',
      model: '別のモデルのコンテンツです',
      manifest: 'manifest.json の中で食い違っています',
      signature: '署名のあとに書き換えられています',
    },
  },
}

export type Messages = typeof ja
