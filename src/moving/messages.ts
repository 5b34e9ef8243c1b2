import type { PlannedState } from '#shared/contract/move-plans.ts'
import type { MoveChangeKind, MoveFileKind, MoveOutcome } from '#shared/contract/move-updates.ts'
import type { PublicationChoice } from '#shared/publication-states.ts'

const kindNames: Record<'ja' | 'en', Record<MoveChangeKind, string>> = {
  ja: {
    new: '新しい',
    changed: 'Newtで変更',
    both: '両方で変更',
    gone: 'Newtで削除',
    removed: 'Newtで変更（こちらで削除）',
  },
  en: {
    new: 'new',
    changed: 'changed in Newt',
    both: 'changed on both sides',
    gone: 'deleted in Newt',
    removed: 'changed in Newt (deleted here)',
  },
}

const outcomeNames: Record<'ja' | 'en', Record<MoveOutcome, string>> = {
  ja: {
    taken: '取り込んだもの',
    kept: 'そのまま残したもの',
    edited: '計画のあとに編集されたため、残したもの',
    refused: '保存できなかったもの',
  },
  en: {
    taken: 'Imported',
    kept: 'Kept unchanged',
    edited: 'Kept, because they were edited after the plan was made',
    refused: 'Could not be saved',
  },
}

const choiceNames: Record<'ja' | 'en', Record<PublicationChoice, string>> = {
  ja: { publish: '公開', draft: '下書き', leaveOut: '取り込まない' },
  en: { publish: 'published', draft: 'draft', leaveOut: 'not imported' },
}

interface StateWords extends Omit<PlannedState, 'key'> {
  /** Translated name of the state. */
  name: string
  /** Whether there are more contents than examples. */
  hasMore: boolean
}

interface AppLinkWords {
  app: string
  field: string
  to: string
  here: boolean
  count: number
}

/** Returns whether one of the fields is in parentheses, which mark fields that are not created. */
const leavesAny = (fields: readonly string[]) => fields.some((field) => field.startsWith('('))

/** The texts of the commands in Japanese. English has the same keys ({@link Messages}). */
const ja = {
  usage: `使い方:
  npm run import -- ファイルまたはフォルダー --server URL --space UID [--app UID …] [--token キー] [--publish-unknown] [--confirm-contents] [--yes]
  npm run import -- アーカイブ --update AppのUID --server URL --space UID [--token キー] [--take-theirs] [--trash-gone] [--yes]
  npm run verify-move -- アーカイブ --server URL --space UID [--app UID …] [--token CDN APIキー] [--api-token APIキー] [--queries ファイル]

取り込めるもの: Imoriから書き出したApp（スペースのすべてのAppでも）、Newtのアーカイブ、WordPress・microCMS・Contentful・Strapi・Directus・Ghost・Sanityなどのエクスポート、Markdown、CSV、JSON

複数のAppを保存したフォルダーやZIPは、まとめて取り込めます。一部だけなら --app blog --app shop、UIDを変えるなら --app blog=blog-2 と指定します。

公開されるのは、移行元で公開中と分かるコンテンツだけです。ほかは下書きになり、移行元のゴミ箱にあるものは取り込みません。--publish-unknown: 公開中か分からないものも公開します。--confirm-contents: 形式の分からないファイルを取り込みます。計画を見て、取り込みたいコンテンツか確かめてから付けてください。

--update: 取り込んだあとにNewtで変わったところだけを、そのAppに取り込みます。--take-theirs: こちらでも変えたものを、Newtの内容にします。--trash-gone: Newtで削除されたものを、ゴミ箱に移します。

キーは環境変数でも渡せます: IMORI_MOVE_TOKEN, IMORI_CDN_TOKEN, IMORI_API_TOKEN
言語: --lang ja|en
終了コード: 0 正常、1 失敗または違いあり、2 計画の確認待ち（--yes で開始）、64 使い方の誤り`,
  missing: (name: string) => `${name} を指定してください。`,
  notThere: (path: string) => `${path} がありません。パスを確かめてください。`,
  notReadable: (path: string) => `${path} を読む権限がありません。`,
  emptyFile: (path: string) => `${path} には、アップロードするものがありません。`,
  unsafeName: (path: string) =>
    `${path} には、ZIPの外を指すファイル名があります。手を加えられた可能性があるため、元のフォルダーから作り直してください。`,
  newer: (path: string) => `${path} は新しい形式のアーカイブです。Imoriを更新してください。`,
  notFinished: (path: string) =>
    `${path} は保存が途中のアーカイブです。「npm run rescue」をもう一度実行して、保存できた内容で完成させてください。`,
  notAnArchive: (path: string) => `${path} はアーカイブとして読めません。`,
  notAZip: (path: string) =>
    `${path} をZIPとして開けません。アーカイブのファイルか、途中で切れていないか、確かめてください。`,
  notOurs: (path: string) =>
    `verify-move では ${path} を読めません。比べられるのはNewtのアーカイブだけで、Imoriの書き出しや、新しい形式のアーカイブとは比べられません。`,
  packing: 'フォルダーをZIPにまとめています…',
  uploading: (percent: number) => `アップロードしています… ${percent}%`,
  again: 'アップロードが中断しました。続きから再開します…',
  checking: 'ファイルを確認しています…',
  refused: (why: string) => `このファイルは取り込めません。${why}`,
  refusedMore: (count: number) => `  ほか${count}件`,
  plan: (app: string, documents: number, assets: number) =>
    `計画: App「${app}」、コンテンツ${documents}件、メディア${assets}件`,
  model: (name: string, uid: string, fields: number, documents: number) =>
    `  ${name}（${uid}）: フィールド${fields}個、コンテンツ${documents}件`,
  state: ({ name, state, statement, count, changed, choice, examples, hasMore }: StateWords) => {
    const reason = statement || (state === 'unknown' ? '移行元に記載なし' : '')
    const newer = changed > 0 ? `、うち${changed}件に公開後の編集あり` : ''
    const titles = `${examples.map((title) => `「${title}」`).join('')}${hasMore ? '…' : ''}`
    return `    ${name}${reason && `（${reason}）`}: ${count}件${newer} → ${choiceNames.ja[choice]} ${titles}`.trimEnd()
  },
  publication: (published: number, drafts: number, leftOut: number) =>
    `  公開${published}件、下書き${drafts}件、取り込まない${leftOut}件`,
  unknownAreDrafts: (count: number) =>
    `  公開中か分からない${count}件は、下書きになります。公開してよければ --publish-unknown を付けてください。`,
  unknownArePublished: (count: number) =>
    `  公開中か分からない${count}件も、公開します（--publish-unknown）。`,
  leftOut: '  取り込まないデータ（移行元がサイトに公開していないもの。サーバーにも残しません）:',
  leftOutKind: (kind: string, names: string[], more: number) =>
    `    ${kind}: ${names.join('、')}${more > 0 ? `、ほか${more}個` : ''}`,
  namedCount: (name: string, count: number) => (count > 0 ? `${name}（${count}件）` : name),
  unconfirmed:
    '  エクスポートの形式が分からないため、コンテンツの一覧として読み取りました。上のモデル、フィールド、例を見てください。個人情報や設定ではなく、取り込みたいコンテンツなら、--confirm-contents を付けてください。',
  apps: (count: number) => `計画: アーカイブに${count}個のAppがあります`,
  app: (name: string, uid: string, documents: number, assets: number) =>
    `  App「${name}」（${uid}）: コンテンツ${documents}件、メディア${assets}件`,
  appLeft: (name: string, uid: string) => `  App「${name}」（${uid}）: 取り込みません`,
  modelOfApp: (name: string, uid: string, documents: number) =>
    `  ${name}（${uid}）: コンテンツ${documents}件`,
  warnings: (count: number) => `  確認すること: ${count}種類（計画の画面で見られます）`,
  noApps: '取り込むAppが選ばれていません。',
  link: ({ app, field, to, here, count }: AppLinkWords) =>
    `App「${app}」の${field}で、コンテンツ${count}件が、${here ? 'このスペースにある' : ''}App「${to}」のコンテンツと同じIDを指しています。Appをまたぐ参照にはなりません。`,
  noSuchApp: (app: string, apps: readonly string[]) =>
    `アーカイブに「${app}」というAppはありません。あるのは ${apps.join('、')} です。`,
  verifying: (app: string) => `App「${app}」:`,
  problem: (kind: string, sentence: string) => `  ${kind}: ${sentence}`,
  cannotStart: (url: string) => `このままでは始められません。この画面で直してください: ${url}`,
  lookAt: (url: string) =>
    `計画を確かめて、よければ --yes を付けてもう一度実行するか、この画面で始めてください: ${url}`,
  checkingSoFar: (percent: number) => `ファイルを確認しています… ${percent}%`,
  importing: (percent: number) => `インポートしています… ${percent}%`,
  stopped: (why: string) => `停止しました: ${why} 同じコマンドで続きから再開できます。`,
  done: (documents: number, assets: number) => `終わりました: コンテンツ${documents}件、メディア${assets}件`,
  report: (sentence: string, path: string) =>
    `  元のままにできなかったもの: ${sentence}${path && ` ${path}`}`,
  decide: (url: string) => `内容を確かめて、確定するか取り消してください: ${url}`,
  nothingToUpdate: (app: string) =>
    `Newtから取り込んだApp「${app}」はありません。--update には、取り込んで終わったAppのUIDを指定してください。`,
  nothingChanged: '変わったところはありません。',
  changes: (app: string, documents: number, assets: number) =>
    `App「${app}」に取り込めるもの: コンテンツ${documents}件、メディア${assets}件`,
  changedModel: (name: string, uid: string, parts: string[], unchanged: number) =>
    `  ${name}（${uid}）: ${parts.join('、')}、変更なし${unchanged}件`,
  changeCount: (kind: MoveChangeKind, count: number) => `${kindNames.ja[kind]}${count}件`,
  modelIsGone: (name: string, uid: string) => `  ${name}（${uid}）: こちらにないため、取り込みません`,
  unknownFields: (model: string, fields: string[]) =>
    `  「${model}」にないため取り込まれないフィールド: ${fields.join(', ')}`,
  newModel: (name: string, uid: string, fields: string[]) =>
    `  作るモデル: ${name}（${uid}） ${fields.join(', ')}${leavesAny(fields) ? '（かっこ内のフィールドは作りません）' : ''}`,
  newFields: (name: string, uid: string, fields: string[]) =>
    `  「${name}」（${uid}）に作るフィールド: ${fields.join(', ')}${leavesAny(fields) ? '（かっこ内のフィールドは作りません）' : ''}`,
  notMade: (name: string, fields: string[]) => `  「${name}」に作れなかったフィールド: ${fields.join(', ')}`,
  newModels: (uids: string[]) =>
    `  こちらに同じUIDの別のモデルがあるため取り込まれないモデル: ${uids.join(', ')}`,
  replacedFiles: (kind: MoveFileKind, count: number, takes: boolean) =>
    kind === 'changed'
      ? `  Newtで差し替えられたファイル: ${count}件`
      : `  両方で差し替えられたファイル: ${count}件（${takes ? 'Newtのファイルにします' : 'こちらを残します'}）`,
  files: (outcome: MoveOutcome, count: number, names: string[]) =>
    `  ファイル・${outcomeNames.ja[outcome]}: ${count}件（${names.join('、')}${count > names.length ? '…' : ''}）`,
  missingModels: (uids: string[]) => `  アーカイブにないモデル: ${uids.join(', ')}`,
  chosen: (kind: 'both' | 'gone', takes: boolean): string =>
    kind === 'both'
      ? takes
        ? '両方で変わったものは、Newtの内容にします。'
        : '両方で変わったものは、こちらの内容を残します（--take-theirs でNewtの内容にします）。'
      : takes
        ? 'Newtで削除されたものは、ゴミ箱に移します。'
        : 'Newtで削除されたものは、残します（--trash-gone でゴミ箱に移します）。',
  outcome: (outcome: MoveOutcome, count: number) =>
    `  ${outcome === 'taken' ? '取り込んだか、ゴミ箱に移したもの' : outcomeNames.ja[outcome]}: ${count}件`,
  failed: (status: number, why: string) => `サーバーがエラーを返しました（${status}）。${why}`,
  notLetIn: (space: string) =>
    `キーが正しくないか、使えなくなったか、スペース「${space}」のものではありません（キーを作った人がログアウトしたときや、必要な権限を失ったときにも使えなくなります）。そのスペースの「移行」の画面で新しいキーを作って、--token に指定してください。`,
  notImori: (server: string) =>
    `${server} は、Imoriのサーバーではないようです。--server を確かめてください。`,
  unreachable: (server: string, why: string) =>
    `${server} に接続できません（${why}）。アドレスと、サーバーが動いているかを確かめてください。`,
  asked: (calls: number) => `${calls}回問い合わせました。`,
  appRenamed: (from: string, to: string) => `Appの名前は、計画で「${from}」から「${to}」に変えられています。`,
  appNameDiffers: (from: string, to: string) =>
    `Appの名前が、アーカイブでは「${from}」、こちらでは「${to}」です。この名前の計画は見つかりませんでした。環境変数 IMORI_MOVE_TOKEN を設定していない場合は、移行のキーを設定すると、計画で変えたかどうかを確かめられます。`,
  writtenHere: (count: number) =>
    `こちらで編集したか作ったもの（取り込みで残したものを含みます）: ${count}件。アーカイブとは比べず、ほかへの影響だけを確かめました。`,
  explained: '説明のつく違い:',
  explanations: {
    address: 'ファイルのアドレス（このサーバーから配信）',
    html: 'HTMLの書き方（表示は同じ）',
    removed: 'サイトに渡せないHTMLを取り除いたもの',
    quill: '字下げ・文字揃えの書き方（入れ子のリストとスタイルに）',
    file: 'ファイルから読み取った情報',
    asText: '数値など（文字列として保持）',
    expanded: '画像や参照（アーカイブにはIDだけ。今は中身も返る）',
    nothing: '空の値の表し方',
    renamed: '名前やUID（計画で変更）',
    unpublished: '公開されていない参照先のID（depth=0）',
    characters: '保存できない文字（NULなど）のない文',
    normalized: '日時・色の書き方',
    leftOut: '数値に入らない大きな数（取り込みの計画にあるもの）',
  },
  removedKind: (kind: string, count: number) => `    ${kind} ×${count}`,
  nothingAsked: 'アーカイブに比べるものがありません。',
  unexplained: (count: number) => `説明のつかない違い: ${count}件`,
  same: '説明のつかない違いはありません。',
}
export type Messages = typeof ja

const en: Messages = {
  usage: `Usage:
  npm run import -- FILE-OR-FOLDER --server URL --space UID [--app UID …] [--token KEY] [--publish-unknown] [--confirm-contents] [--yes]
  npm run import -- ARCHIVE --update APP-UID --server URL --space UID [--token KEY] [--take-theirs] [--trash-gone] [--yes]
  npm run verify-move -- ARCHIVE --server URL --space UID [--app UID …] [--token CDN-TOKEN] [--api-token API-TOKEN] [--queries FILE]

What can be imported: exports of Imori (an app, or all apps of a space), archives of Newt, exports of WordPress, microCMS, Contentful, Strapi, Directus, Ghost, Sanity, Markdown, CSV, JSON

A folder or a ZIP with several saved apps is imported as a whole. To import only some of them: --app blog --app shop. To change a UID: --app blog=blog-2.

Only content that is known to be public in the source is published. Other content becomes drafts, and content in the trash of the source is not imported. --publish-unknown: also publishes content with an unknown state. --confirm-contents: imports a file of an unknown format. First check in the plan that it is the content you want to import.

--update: imports into that app only what changed in Newt after its import. --take-theirs: documents that were also edited here get the content from Newt. --trash-gone: documents that were deleted in Newt are moved to the trash.

The key and the tokens can also be set in the environment: IMORI_MOVE_TOKEN, IMORI_CDN_TOKEN, IMORI_API_TOKEN
Language: --lang ja|en
Exit codes: 0 success, 1 failure or differences, 2 the plan must be checked (--yes starts the import), 64 wrong usage`,
  missing: (name) => `Specify ${name}.`,
  notThere: (path) => `${path} does not exist. Check the path.`,
  notReadable: (path) => `You do not have permission to read ${path}.`,
  emptyFile: (path) => `${path} contains nothing to upload.`,
  unsafeName: (path) =>
    `A file name in ${path} points outside of the ZIP. The ZIP may have been manipulated. Pack the original folder again.`,
  newer: (path) => `${path} is an archive in a newer format. Update Imori.`,
  notFinished: (path) =>
    `The archive ${path} is not finished. Run “npm run rescue” again to finish it with the content that was saved.`,
  notAnArchive: (path) => `${path} cannot be read as an archive.`,
  notAZip: (path) =>
    `${path} cannot be opened as a ZIP. Check that it is an archive and that it is complete.`,
  notOurs: (path) =>
    `verify-move cannot read ${path}. It only compares with archives of Newt, not with exports of Imori or archives in a newer format.`,
  packing: 'Packing the folder into a ZIP…',
  uploading: (percent) => `Uploading… ${percent}%`,
  again: 'The upload was interrupted. Resuming…',
  checking: 'Checking the file…',
  refused: (why) => `This file cannot be imported. ${why}`,
  refusedMore: (count) => `  ${count} more`,
  plan: (app, documents, assets) => `Plan: app “${app}”, ${documents} documents, ${assets} media`,
  model: (name, uid, fields, documents) => `  ${name} (${uid}): ${fields} fields, ${documents} documents`,
  state: ({ name, state, statement, count, changed, choice, examples, hasMore }) => {
    const reason = statement || (state === 'unknown' ? 'not stated by the source' : '')
    const newer = changed > 0 ? `, ${changed} with a newer draft` : ''
    const titles = `${examples.map((title) => `“${title}”`).join(', ')}${hasMore ? ', …' : ''}`
    return `    ${name}${reason && ` (${reason})`}: ${count}${newer} → ${choiceNames.en[choice]} ${titles}`.trimEnd()
  },
  publication: (published, drafts, leftOut) =>
    `  Published: ${published}, drafts: ${drafts}, not imported: ${leftOut}`,
  unknownAreDrafts: (count) =>
    `  Documents with an unknown state, which become drafts: ${count}. Add --publish-unknown to publish them.`,
  unknownArePublished: (count) =>
    `  Documents with an unknown state, which will be published (--publish-unknown): ${count}`,
  leftOut:
    '  Not imported, because the source does not publish it to sites (nothing of it is stored on the server):',
  leftOutKind: (kind, names, more) => `    ${kind}: ${names.join(', ')}${more > 0 ? `, ${more} more` : ''}`,
  namedCount: (name, count) => (count > 0 ? `${name} (${count})` : name),
  unconfirmed:
    '  This is not an export of a known service, so it was read as a list of documents. Check the models, fields and examples above. If this is the content you want to import, and not personal data or settings, add --confirm-contents.',
  apps: (count) => `Plan: the archive contains ${count} apps`,
  app: (name, uid, documents, assets) => `  App “${name}” (${uid}): ${documents} documents, ${assets} media`,
  appLeft: (name, uid) => `  App “${name}” (${uid}): not imported`,
  modelOfApp: (name, uid, documents) => `  ${name} (${uid}): ${documents} documents`,
  warnings: (count) => `  Kinds of problems to check: ${count} (see the page of the plan)`,
  noApps: 'No apps are selected.',
  link: ({ app, field, to, here, count }) =>
    `App “${app}”, field ${field}: documents that contain the ID of a document of the app “${to}”${here ? ' in this space' : ''}: ${count}. These IDs do not become references, because references between apps are not possible.`,
  noSuchApp: (app, apps) => `The archive does not contain the app “${app}”. It contains: ${apps.join(', ')}.`,
  verifying: (app) => `App “${app}”:`,
  problem: (kind, sentence) => `  ${kind}: ${sentence}`,
  cannotStart: (url) => `The import cannot be started like this. Correct the plan here: ${url}`,
  lookAt: (url) => `Check the plan. Then run this command again with --yes, or start the import here: ${url}`,
  checkingSoFar: (percent) => `Checking the file… ${percent}%`,
  importing: (percent) => `Importing… ${percent}%`,
  stopped: (why) => `Stopped: ${why} Run the same command again to continue where it stopped.`,
  done: (documents, assets) => `Done: ${documents} documents, ${assets} media`,
  report: (sentence, path) => `  Different from the source: ${sentence}${path && ` ${path}`}`,
  decide: (url) => `Check the result, then accept or undo it: ${url}`,
  nothingToUpdate: (app) =>
    `There is no app “${app}” that was imported from Newt. For --update, specify the UID of an app whose import is finished.`,
  nothingChanged: 'Nothing has changed.',
  changes: (app, documents, assets) =>
    `Changes that can be imported into the app “${app}”: ${documents} documents, ${assets} media`,
  changedModel: (name, uid, parts, unchanged) =>
    `  ${name} (${uid}): ${parts.join(', ')}, ${unchanged} unchanged`,
  changeCount: (kind, count) => `${count} ${kindNames.en[kind]}`,
  modelIsGone: (name, uid) => `  ${name} (${uid}): does not exist here, so it is not imported`,
  unknownFields: (model, fields) =>
    `  Fields that “${model}” does not have, which are not imported: ${fields.join(', ')}`,
  newModel: (name, uid, fields) =>
    `  New model: ${name} (${uid}) ${fields.join(', ')}${leavesAny(fields) ? '. Fields in parentheses are not created.' : ''}`,
  newFields: (name, uid, fields) =>
    `  New fields of “${name}” (${uid}): ${fields.join(', ')}${leavesAny(fields) ? '. Fields in parentheses are not created.' : ''}`,
  notMade: (name, fields) => `  Fields of “${name}” that could not be created: ${fields.join(', ')}`,
  newModels: (uids) =>
    `  Models that are not imported, because another model here has the same UID: ${uids.join(', ')}`,
  replacedFiles: (kind, count, takes) =>
    kind === 'changed'
      ? `  Files that were replaced in Newt: ${count}`
      : `  Files that were replaced on both sides: ${count} (${takes ? 'Newt’s files are imported' : 'the files here are kept'})`,
  files: (outcome, count, names) =>
    `  Files – ${outcomeNames.en[outcome]}: ${count} (${names.join(', ')}${count > names.length ? ', …' : ''})`,
  missingModels: (uids) => `  Models that are not in the archive: ${uids.join(', ')}`,
  chosen: (kind, takes) =>
    kind === 'both'
      ? takes
        ? 'Documents that changed on both sides get the content from Newt.'
        : 'Documents that changed on both sides keep the content here (--take-theirs imports the content from Newt).'
      : takes
        ? 'Documents that were deleted in Newt are moved to the trash.'
        : 'Documents that were deleted in Newt are kept (--trash-gone moves them to the trash).',
  outcome: (outcome, count) =>
    `  ${outcome === 'taken' ? 'Imported, or moved to the trash' : outcomeNames.en[outcome]}: ${count}`,
  failed: (status, why) => `The server returned an error (${status}). ${why}`,
  notLetIn: (space) =>
    `The key is wrong, is no longer valid, or is not for the space “${space}”. (It also becomes invalid if the member who created it signs out or loses the required permissions.) Create a new key on the page “Migration” of that space, and specify it with --token.`,
  notImori: (server) => `${server} does not seem to be an Imori server. Check --server.`,
  unreachable: (server, why) =>
    `${server} cannot be reached (${why}). Check the URL, and whether the server is running.`,
  asked: (calls) => `Sent ${calls} requests.`,
  appRenamed: (from, to) => `The plan changed the name of the app from “${from}” to “${to}”.`,
  appNameDiffers: (from, to) =>
    `The app is named “${from}” in the archive and “${to}” here. No plan with this name was found. If the environment variable IMORI_MOVE_TOKEN is not set, set it to a migration key to check whether the plan changed the name.`,
  writtenHere: (count) =>
    `Documents that were edited or created here, or kept by an update: ${count}. They are not compared with the archive. Only their effects on other documents are checked.`,
  explained: 'Explained differences:',
  explanations: {
    address: 'URLs of files (delivered by this server)',
    html: 'HTML in a different notation (same appearance)',
    removed: 'HTML without elements that sites must not receive',
    quill: 'indentation and alignment in a different notation (nested lists and styles)',
    file: 'information read from files',
    asText: 'numbers and similar values stored as text',
    expanded: 'images and references (only IDs in the archive, now returned with their content)',
    nothing: 'notation of empty values',
    renamed: 'names and UIDs that the plan changed',
    unpublished: 'IDs of references to unpublished documents (depth=0)',
    characters: 'texts without characters that cannot be stored (such as NUL)',
    normalized: 'notation of dates and colors',
    leftOut: 'numbers too large for a number field (listed in the plan)',
  },
  removedKind: (kind, count) => `    ${kind} ×${count}`,
  nothingAsked: 'The archive contains nothing to compare.',
  unexplained: (count) => `Unexplained differences: ${count}`,
  same: 'There are no unexplained differences.',
}

export const messagesFor = (language: string): Messages => (language === 'en' ? en : ja)
