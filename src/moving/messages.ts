/** Everything the commands say, in Japanese (reference) and English. */
const ja = {
  usage: `使い方:
  npm run import -- ファイルまたはフォルダー --server URL --space UID [--token キー] [--yes]
  npm run verify-move -- アーカイブ --server URL --space UID --app UID [--token CDN APIトークン] [--api-token APIトークン] [--queries ファイル]

取り込めるもの: Newtのアーカイブ、WordPress・microCMS・Contentful・Strapi・Directusなどのエクスポート、Markdown、CSV、JSON

キーとトークンは環境変数でも渡せます: IMORI_MOVE_TOKEN, IMORI_CDN_TOKEN, IMORI_API_TOKEN
言語: --lang ja|en
終了コード: 0 正常、1 失敗または違いあり、2 計画の確認待ち（--yes で開始）、64 使い方の誤り`,
  missing: (name: string) => `${name} を指定してください。`,
  notAnArchive: (path: string) => `${path} はアーカイブとして読めません。`,
  packing: 'フォルダーをZIPにまとめています…',
  uploading: (percent: number) => `アップロードしています… ${percent}%`,
  again: '接続が切れました。続きから再開します…',
  checking: 'ファイルを確認しています…',
  refused: (code: string) => `このファイルは取り込めません（${code}）。`,
  plan: (app: string, documents: number, assets: number) =>
    `計画: App「${app}」、コンテンツ${documents}件、メディア${assets}件`,
  model: (name: string, uid: string, fields: number, documents: number) =>
    `  ${name}（${uid}）: フィールド${fields}個、コンテンツ${documents}件`,
  problem: (code: string, path: string, count: number) => `  注意: ${code} ${path}（${count}件）`,
  lookAt: (url: string) =>
    `計画を確かめて、よければ --yes を付けてもう一度実行するか、この画面で始めてください: ${url}`,
  checkingSoFar: (percent: number) => `ファイルを確認しています… ${percent}%`,
  importing: (percent: number) => `インポートしています… ${percent}%`,
  stopped: (code: string) => `停止しました（${code}）。同じコマンドで続きから再開できます。`,
  done: (documents: number, assets: number) => `終わりました: コンテンツ${documents}件、メディア${assets}件`,
  report: (code: string, path: string, count: number) =>
    `  元のままにできなかったもの: ${code} ${path}（${count}件）`,
  decide: (url: string) => `内容を確かめて、確定するか取り消してください: ${url}`,
  failed: (status: number, code: string, message: string) => `サーバーの答え: ${status} ${code} ${message}`,
  unreachable: (server: string) => `${server} に接続できません。`,
  asked: (calls: number) => `${calls}回問い合わせました。`,
  explained: '説明のつく違い:',
  explanations: {
    address: 'ファイルのアドレス（このサーバーから配信）',
    html: 'HTMLの書き方（表示は同じ）',
    file: 'ファイルから読み取った情報',
    asText: '数値など（文字列として保持）',
    nothing: '空の値の表し方',
    renamed: 'フィールドUID（予約語のため変更）',
    unpublished: '公開されていない参照先のID（depth=0）',
    normalized: '日時・色の書き方',
  },
  unexplained: (count: number) => `説明のつかない違い: ${count}件`,
  same: 'すべて同じです。',
}
export type Messages = typeof ja

const en: Messages = {
  usage: `Usage:
  npm run import -- FILE-OR-FOLDER --server URL --space UID [--token KEY] [--yes]
  npm run verify-move -- ARCHIVE --server URL --space UID --app UID [--token CDN-TOKEN] [--api-token API-TOKEN] [--queries FILE]

What can be imported: archives of Newt, exports of WordPress, microCMS, Contentful, Strapi, Directus, Markdown, CSV, JSON

The key and the tokens may also come from the environment: IMORI_MOVE_TOKEN, IMORI_CDN_TOKEN, IMORI_API_TOKEN
Language: --lang ja|en
Exit codes: 0 well, 1 failed or different, 2 the plan is to be looked at (--yes starts it), 64 wrong usage`,
  missing: (name) => `Say ${name}.`,
  notAnArchive: (path) => `${path} cannot be read as an archive.`,
  packing: 'Packing the folder into a zip…',
  uploading: (percent) => `Uploading… ${percent}%`,
  again: 'The connection was lost. Going on from where it was…',
  checking: 'Checking the file…',
  refused: (code) => `This file cannot be imported (${code}).`,
  plan: (app, documents, assets) => `Plan: app “${app}”, ${documents} documents, ${assets} media`,
  model: (name, uid, fields, documents) => `  ${name} (${uid}): ${fields} fields, ${documents} documents`,
  problem: (code, path, count) => `  Note: ${code} ${path} (${count})`,
  lookAt: (url) => `Look at the plan, then run this again with --yes, or start it here: ${url}`,
  checkingSoFar: (percent) => `Checking the file… ${percent}%`,
  importing: (percent) => `Importing… ${percent}%`,
  stopped: (code) => `Stopped (${code}). The same command goes on from where it was.`,
  done: (documents, assets) => `Done: ${documents} documents, ${assets} media`,
  report: (code, path, count) => `  Not as it was: ${code} ${path} (${count})`,
  decide: (url) => `Look at it, then accept or undo it: ${url}`,
  failed: (status, code, message) => `The server answered ${status} ${code} ${message}`,
  unreachable: (server) => `${server} cannot be reached.`,
  asked: (calls) => `Asked ${calls} times.`,
  explained: 'Differences that are explained:',
  explanations: {
    address: 'addresses of files (delivered by this server)',
    html: 'HTML written in another way (it shows the same)',
    file: 'what was found in files',
    asText: 'numbers and the like kept as text',
    nothing: 'nothing, told in another way',
    renamed: 'uids of fields that are words of ours',
    unpublished: 'ids of references to what is not published (depth=0)',
    normalized: 'moments and colours written in another way',
  },
  unexplained: (count) => `Differences that are not explained: ${count}`,
  same: 'Everything is the same.',
}

export const messagesFor = (language: string): Messages => (language === 'en' ? en : ja)
