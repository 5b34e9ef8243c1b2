import type { Messages } from './ja.ts'

/** All texts that the command prints, in English. */
export const en: Messages = {
  failures: {
    token_in_arguments: () =>
      'Do not write a token into the command (it stays in your shell history): put it into the environment variable IMORI_RESCUE_API_TOKEN, or start without arguments and type it when asked.',
    token_missing: () =>
      'There is no API token: put it into the environment variable IMORI_RESCUE_API_TOKEN, or start with just "npm run rescue" and type it when asked.',
    token_refused: ({ space, view }) =>
      view === 'cdn'
        ? `The CDN API token was not accepted for the space "${space}": check it in Newt under Space settings → API keys (the one for Newt CDN API) and enter it again.`
        : `The API token was not accepted for the space "${space}": check the token (the one for Newt API, not the CDN one) and the space UID in Newt under Space settings → API keys, and enter them again.`,
    token_garbled: () =>
      'The token in the environment holds characters that no token has: copy it again from Newt and set it again.',
    not_allowed: ({ view, code }) =>
      code === 'QuotaExceeded'
        ? "Newt refuses because this plan's quota is used up (QuotaExceeded): run the same command again later, or raise the plan in Newt; what is saved so far stays."
        : code === 'IpAddressNotAllowed'
          ? 'Newt only lets certain networks read (IpAddressNotAllowed): run it from an allowed network, or lift the IP restriction in Newt under Space settings, and run the same command again.'
          : !code
            ? 'The request was refused before it reached Newt (403): leave the VPN or company network and run the same command again; if it goes on, check the token in Newt.'
            : `This token may not read here (${code}): check in Newt that the ${view === 'cdn' ? 'CDN API' : 'API'} token covers this app.`,
    app_not_found: ({ space, app }) =>
      `There is no app "${app}" in the space "${space}": check the space UID and the app UID in the admin address (https://app.newt.so/SPACE/app/APP), and enter them again.`,
    model_not_found: ({ app, model }) =>
      `There is no model "${model}" in the app "${app}": check the model UID (what follows models/ in the admin address), and enter it again.`,
    no_network: ({ host, reason }) =>
      `${host} cannot be reached (${reason}): check your internet connection and the space UID (if your network needs a proxy, name it with --proxy or HTTPS_PROXY), then run the same command again; it goes on where it stopped.`,
    not_trusted: ({ host, reason }) =>
      `The connection to ${host} is not safe (${reason}): check that this computer's clock is right, and whether security software or your company's network reads along (then run it in another network, or set NODE_EXTRA_CA_CERTS to your company's certificate).`,
    host_blocked: ({ host }) =>
      `${host} points to an address inside your own network, so no connection was made: check your VPN and DNS settings and run the command again.`,
    server_trouble: ({ host, status }) =>
      `${host} keeps answering with an error (${status}): run the same command again later; it goes on where it stopped.`,
    strange_answer: ({ reason }) =>
      `The server gave an answer that cannot be read (${reason}): check the space UID and the address, and run the same command again later.`,
    disk_full: ({ dir }) =>
      `The disk is full: free some space on the disk${dir ? ` of "${dir}"` : ''} and run the same command again; everything so far is kept and it goes on where it stopped.`,
    folder_not_writable: ({ dir }) =>
      `The folder "${dir ?? ''}" cannot be written to: name a place that can be (such as your home folder; not one that iCloud or OneDrive keeps in step).`,
    folder_not_ours: ({ dir }) => `The folder "${dir}" holds other files: name an empty or new folder.`,
    folder_of_another: ({ dir, space, app }) =>
      `The folder "${dir}" holds the unfinished rescue of another app ("${app}" of the space "${space}"): name another folder.`,
    folder_in_use: ({ dir, pid }) =>
      `Another rescue is working in the folder "${dir}" (process ${pid}): wait for it, or name another folder.`,
    folder_complete: ({ dir }) =>
      `The folder "${dir}" already holds a finished archive: to make a new one, name another folder.`,
    not_an_archive: ({ dir, zip }) =>
      zip
        ? `The zip is damaged or was copied only in part (${dir}): copy it again from the folder, or check another copy.`
        : `"${dir}" is not an archive (it has no valid manifest.json): name a folder or zip made by rescue.`,
    unsafe_names: ({ dir, reason }) =>
      `A name in the zip leads out of it (${dir}, ${reason}): somebody has made it so. Do not unpack it, and pack the folder again.`,
    not_finished: ({ dir }) =>
      `The rescue in "${dir}" has not finished: run the same command again, and check when it has ended.`,
    interrupted: () => 'Interrupted: run the same command again and it goes on where it stopped.',
    usage: ({ reason }) => `The command was not understood (${reason}): see "npm run rescue -- --help".`,
    unexpected: ({ reason }) =>
      `Stopped by an unexpected error (${reason}): run the same command again, and if it repeats, report this line.`,
  },
  error: 'Error: ',
  help: `Bring a Newt space to safety: saves whole apps of your space on this computer, one after the other.

Usage
  npm run rescue                        asks you step by step (recommended)
  node scripts/rescue.mjs --space UID --app UID --model UID [--model UID]…
  node scripts/rescue.mjs --space UID --app APP:MODEL,MODEL [--app APP:MODEL]…
  npm run rescue -- verify FOLDER       checks that what was saved (a folder or a zip) is intact

Tokens come from the environment (they cannot be written into the command)
  IMORI_RESCUE_API_TOKEN   Newt API token (required; reads drafts too)
  IMORI_RESCUE_CDN_TOKEN   Newt CDN API token (if you can: without it, what readers see of
                           an article being edited after publishing is not kept)

Options
  --space UID         space UID
  --app UID           app UID; for several apps --app blog:article,author --app shop:item
                      (write a : or , inside a UID as in addresses: %3A, %2C)
  --model UID         model UID (repeat; models behind references are also looked for)
  --out FOLDER        where to save (default newt-SPACE-APP; several apps are put inside it)
  --zip               make a zip file as well
  --asset-host HOST   host of your own storage (repeat)
  --proxy URL         proxy (default: the environment's HTTPS_PROXY; for Newt's hosts and --asset-host)
  --origin URL        read from another server that speaks Newt's API
  --concurrency N     how many pictures and files to fetch at once (1-32, default 8)
  --max-asset-mb N    do not fetch files larger than this (default 5000)
  --lang ja|en        language of messages and report

The API has no list of apps or models: those that you do not name are not saved.
With several apps, one that fails does not stop the others; a report of them all is written at the end
(newt-SPACE-report.md).

Exit codes (of several apps, the worst)
  0 complete  3 complete, but some things no longer exist at Newt  4 some things did not come (run again)
  1 error  2 wrong usage  130 interrupted
`,
  prompts: {
    welcome: 'This brings a Newt app to safety: answer a few questions and its content is saved in a folder.',
    hint: 'Ctrl-C stops at any time; run it again and it goes on where it stopped.',
    space: 'Space UID (the xx in the admin address https://app.newt.so/xx; or Space settings → General)',
    app: 'App UID (what follows app/ in the admin address; or App settings → General)',
    apiToken: 'Newt API token (not shown; Space settings → API keys, the one for Newt API)',
    cdnToken:
      'Newt CDN API token (not shown; Enter if you have none)\n  Give it if you can: without it, what readers see of an article being edited after publishing is not kept.',
    models:
      'The UIDs of all your models (those you leave out are not saved)\n  Open each model in the admin and copy what follows models/ in its address.\n  Separate them by spaces, commas or line breaks; whole addresses will do, too.',
    moreModels: (models) =>
      `So far: ${models.join(', ')}\n  Compare with the list of models in the admin and enter those that are missing (Enter if none)`,
    onlyModels: (models) =>
      `Models to save (${models.length}): ${models.join(', ')}\n  No other model is saved.`,
    keep: 'Press Enter to keep a value shown in [ ].',
    assetHosts: 'Host of your own storage (Enter if you have none)',
    out: 'Folder to save in',
    zip: 'Make a zip file as well?',
    yesNo: ['yes', 'no'],
    checking: 'Checking…',
    found: (name) => `Found the app "${name}".`,
    modelFound: (model, count) =>
      count === 0
        ? `Model "${model}": 0 contents. There is nothing in it: check in the admin that this is the right UID.`
        : `Model "${model}": ${count === undefined ? 'found' : `${count.toLocaleString('en')} ${count === 1 ? 'content' : 'contents'}`}`,
    required: 'Please enter something.',
    badSpace: 'Only letters, digits, - and _ please; the address of your admin will do, too.',
    badUid: 'A UID or an address of the admin please (without / or line breaks).',
    badHost: 'Just the name of the host please, such as media.example.com.',
    badToken: 'There are characters in it that no token has: copy it again from Newt.',
    wasCdnToken:
      'That was the token for Newt CDN API (kept for later). Here the one for "Newt API" is needed.',
    wasApiToken:
      'That is the token for Newt API. Here enter the one for "Newt CDN API", or press Enter if there is none.',
    goingOn: 'The meta of the app cannot be had; going on: if its models can be read, they are saved.',
    goOn: (dir, space, app) =>
      `There is an unfinished rescue in "${dir}" (app "${app}" of the space "${space}"). Go on with it?`,
    tryAgain: (apps) =>
      `Try ${apps.map((app) => `"${app}"`).join(', ')} again (same settings, going on where it stopped)?`,
    withoutApi:
      "Newt's API cannot be read. Go on without it, to fetch just the pictures and files that are still missing?",
    noNetwork: (host) => `${host} cannot be reached.`,
    retry: 'Check your connection and press Enter to try again.',
    retryOrSpace:
      'Check your connection and press Enter to try again (or enter the space UID, if it was wrong)',
    nextApp: (apps) =>
      `Apps so far: ${apps.join(', ')}\n  More apps can be saved in one go: enter an app UID or address (Enter if there is none)`,
    sameApp: 'That app is in the list already.',
    otherSpace: 'That app is in another space: save it afterwards, with npm run rescue once more.',
    sameFolder: "That folder and another app's would overlap: choose another one.",
    unattended: 'The rest goes by itself. Please leave this window open.',
    resume: (dir) => `Going on in "${dir}".`,
  },
  progress: {
    contents: (done, total) => `Contents ${done.toLocaleString('en')} / ${total.toLocaleString('en')}`,
    assets: (done, total, bytes) =>
      `Pictures and files ${done.toLocaleString('en')} / ${total.toLocaleString('en')} (${bytes})`,
    remaining: (time) => `about ${time} left`,
    minutes: (minutes) => `${minutes} min`,
    seconds: (seconds) => `${seconds} s`,
    waiting: (trouble, seconds) =>
      ({
        busy: `The server is busy: waiting ${seconds} s`,
        refused: `Refused: trying again in ${seconds} s`,
        server: `The server answered with an error: trying again in ${seconds} s`,
        slow: `No answer: trying again in ${seconds} s`,
        unreadable: `The answer was cut short: trying again in ${seconds} s`,
        broken: `The connection broke: trying again in ${seconds} s`,
      })[trouble],
    oneOf: (number, all, app) => `\n[${number}/${all}] App "${app}"`,
    looking: 'Looking for changes made meanwhile',
    writing: 'Writing the archive',
    zipping: 'Making the zip',
    verifying: (done, total) => `Checking file ${done.toLocaleString('en')} / ${total.toLocaleString('en')}`,
    foundModel: (model, by) => `Found the model "${model}" through the reference "${by}" and added it.`,
    proxy: (host) => `Using the proxy ${host}.`,
    resuming: 'Going on where the last run stopped.',
    notRead: (place, reason) =>
      `${place} could not be read to its end: ${reason} The others are still saved.`,
    texts: (done, total) => `Reading the Markdown sources ${done} / ${total}`,
    textsNotRead: (place, reason) =>
      `The Markdown sources of ${place} could not be read to their end (the HTML is saved). ${reason}`,
  },
  done: {
    complete: (models) =>
      `Everything in the models you named (${models.join(', ')}) is saved. Compare them with the list of models in the admin.`,
    gaps: (models) =>
      `The models you named (${models.join(', ')}) are saved, but some things no longer exist at Newt or could not be followed (the report lists them).`,
    partial: () => 'Some things did not come: run the same command again to fetch just those.',
    refused: 'Newt refused some things, so they did not come: wait a while and run it again.',
    missingModels: (fields) =>
      `What these fields refer to was not found (${fields.join(', ')}): a model may be missing. Look up in the admin which models they refer to, run it again and add them.`,
    models: 'Saved models:',
    model: (uid, count) => `${uid} (${count.toLocaleString('en')})`,
    onlyModels: 'No other model is saved.',
    emptyModels: (models) =>
      `These models hold nothing (${models.join(', ')}): check in the admin that their UIDs are right.`,
    already: (dir) => `It is saved in "${dir}" already.`,
    archive: (dir) => `Saved in: ${dir}`,
    report: (path) => `Report: ${path}`,
    zip: (path) => `Zip: ${path}`,
    verify: (dir) => `To check it: npm run rescue -- verify ${dir}`,
  },
  notInApi: {
    title: "What the API does not have (get it from Newt's admin before 24 November)",
    lines: [
      'Messages sent through your forms: export them.',
      'Pictures and files that no content uses: download everything in the media library.',
      'The settings of your models (field types, required, choices …): note them down; screenshots help, too.',
    ],
  },
  summary: {
    title: (space) => `Newt rescue report: space ${space}`,
    head: ['App', 'Result', 'Contents', 'Pictures and files', 'Missing', 'Report'],
    result: {
      complete: 'saved',
      gaps: 'saved (some things are not at Newt any more)',
      partial: 'not complete: run it again',
      failed: 'not saved',
    },
    all: (saved, all) =>
      saved === all
        ? `All ${all} apps you named are done.`
        : `${saved} of the ${all} apps you named are done.`,
    onlyApps: 'No other app is saved. Compare them with the list of apps in the admin.',
    written: (path) => `Report of them all: ${path}`,
    together:
      'Imori takes all apps at once: pack their folders into one zip, and upload it on the page “Migration”.',
  },
  report: {
    title: (app) => `Newt rescue report: ${app}`,
    result: {
      complete:
        'Everything in the models you named is saved. Compare them with the list of models in the admin.',
      gaps: 'Complete, but what is listed under "Missing" could not be had from Newt.',
      partial: '**Not complete.** Run the same command again to fetch just what did not come.',
    },
    stopped: (reason) =>
      `The run stopped early: ${reason} Everything received until then is in this archive.`,
    source: (space, app) => `App \`${app}\` of the space \`${space}\``,
    time: (from, to) => `Run: ${from} to ${to} (UTC)`,
    contentsTitle: 'Saved contents',
    contentsHead: ['Model', 'All, with drafts', 'Published', 'Note'],
    foundBy: (by) => `found through the reference ${by}`,
    noCdn:
      'There was no CDN token, so published versions are not saved separately: a content edited after publishing is saved only as edited.',
    assets: (urls, files, bytes) =>
      `Pictures and files: ${urls.toLocaleString('en')} addresses, ${files.toLocaleString('en')} files, ${bytes}`,
    gone: (count) =>
      `${count.toLocaleString('en')} contents disappeared from Newt during the run; the archive keeps them.`,
    gapsTitle: 'Missing',
    noGaps: 'Nothing.',
    missingAssets: 'Pictures and files',
    missingReferences: 'Referenced contents',
    unread: (place, saved, reason) =>
      `${place}: not read to its end (${reason}); ${saved.toLocaleString('en')} contents are saved. Run the same command again.`,
    unreadReason: (reason) =>
      ({
        model_not_found: 'the model was not found',
        not_allowed: 'not allowed for this token',
        server_trouble: 'the server answered with errors',
        strange_answer: 'the answers could not be read',
        stopped: 'the run stopped before',
      })[reason] ?? reason,
    hugeContents: 'Contents that are too large',
    hugeSaved: 'too large: only its text is saved, its pictures are not',
    shortCount: (place, count) =>
      `${place}: the server counts ${count.toLocaleString('en')} more contents than it gave in any way of reading. Rescue again later into another folder.`,
    hugeLost: 'not saved',
    addModels: (field, count) =>
      `${count.toLocaleString('en')} contents referenced by ${field} are in none of the models read. Look up the UID of the model it refers to in Newt, run \`npm run rescue\` again with the same folder, and add that model: only what is missing is fetched (the text of what is referenced is also contained in the lines that refer to it, but its pictures may not be saved).`,
    emptyModel: 'nothing in it: check in the admin that this is the right UID',
    untitled: '(no title)',
    usedBy: (uses) => `Used by (${uses.toLocaleString('en')})`,
    appMeta: 'icon or cover of the app',
    more: (count) => `and ${count.toLocaleString('en')} more (all are in gaps.ndjson)`,
    checkTitle: 'How to check',
    checkPlace: 'THIS_FOLDER',
    check: 'This command checks every hash, count, reference and picture again.',
    careTitle: 'Keeping it',
    care: 'It contains drafts: do not put it in a public place. Keep copies in more than one place (another disk, a cloud). The format is described in `docs/archive-format.md`.',
    reason: (reason) =>
      ({
        '404': 'not found (404)',
        '401': 'refused (401)',
        '403': 'refused (403)',
        '410': 'removed (410)',
        not_tried: 'not fetched yet (the run stopped before)',
        slow: 'much too slow',
        too_large: 'too large',
        blocked_address: 'address inside a private network',
        bad_url: 'not a valid address',
        too_many_redirects: 'too many redirects',
        host: 'host cannot be reached',
        not_the_file: 'an error or sign-in page came instead of the file',
        other_size: 'another size each time',
      })[reason] ?? reason,
    differingAssets: 'Pictures and files of another size',
    differingNote:
      'Their size is not the one Newt names, but the same bytes came each time, so they are saved as they are. Please check that they open.',
    savedWithout: (fields) => `saved, but for these fields: ${fields}`,
    foreignImages: (hosts) =>
      `Pictures embedded from these hosts are not Newt's and were not saved: ${hosts}. If one is your own storage, add it with \`--asset-host\` and run the command again.`,
    differs: (bytes, said) =>
      `${bytes.toLocaleString('en')} bytes (${said.toLocaleString('en')} bytes according to Newt)`,
  },
  verify: {
    ok: (files, contents) =>
      `No problems: ${files.toLocaleString('en')} files and ${contents.toLocaleString('en')} contents checked.`,
    listed: (count) =>
      `${count.toLocaleString('en')} things missing at Newt are listed in gaps.ndjson, as recorded.`,
    partial: 'This archive is not complete: run rescue again.',
    signed: (key) => `Signed, with the key ${key}.`,
    unsigned: 'Not signed.',
    bad: (count) => `${count.toLocaleString('en')} problems found.`,
    what: 'Rescue again into another folder, or use a copy you kept.',
    problems: {
      lost: 'file is missing',
      size: 'size differs',
      hash: 'content has changed',
      extra: 'file is not in the list',
      count: 'number of contents differs',
      line: 'unreadable line',
      repeated: 'the same id twice',
      reference: 'referenced content is missing',
      asset: 'picture or file is missing',
      name: 'the name of the file does not fit its content',
      model: 'content of another model',
      manifest: 'manifest.json contradicts itself',
      signature: 'signed, and altered since',
    },
  },
}
