import type { Messages } from './ja.ts'

/** All texts that the command prints, in English. */
export const en: Messages = {
  failures: {
    token_in_arguments: () =>
      'Do not write a token into the command, because it would stay in your shell history. Set the environment variable IMORI_RESCUE_API_TOKEN, or start without arguments and type the token when asked.',
    token_missing: () =>
      'There is no API token. To continue an unfinished run without a token, start "npm run rescue" without arguments. To read from a server with --origin, set the environment variable IMORI_RESCUE_API_TOKEN.',
    token_refused: ({ space, view }) =>
      view === 'cdn'
        ? `The CDN API token was not accepted for the space "${space}". Check the token (for Newt CDN API) and enter it again.`
        : `The API token was not accepted for the space "${space}". Check the space UID and the token (for Newt API, not for Newt CDN API), and enter them again. Newt's API was shut down on 24 November 2026.`,
    token_garbled: () =>
      'The token in the environment contains invalid characters. Copy the token again and set it again.',
    not_allowed: ({ view, code }) =>
      code === 'QuotaExceeded'
        ? 'The server refuses because the quota is used up (QuotaExceeded). Run the same command again later. Data saved so far is kept.'
        : code === 'IpAddressNotAllowed'
          ? 'The server only allows certain networks (IpAddressNotAllowed). Run the same command again from an allowed network.'
          : !code
            ? 'The request was refused before it reached the server (403). Leave the VPN or company network and run the same command again.'
            : `This token has no access (${code}). Check that the ${view === 'cdn' ? 'CDN API' : 'API'} token includes this app.`,
    app_not_found: ({ space, app }) =>
      `There is no app "${app}" in the space "${space}". Check the space UID and the app UID, and enter them again.`,
    model_not_found: ({ app, model }) =>
      `There is no model "${model}" in the app "${app}". Check the model UID, and enter it again.`,
    no_network: ({ host, reason }) =>
      `${host} cannot be reached (${reason}). Newt's API was shut down on 24 November 2026. For another server, check your internet connection and the address (if your network needs a proxy, use --proxy or HTTPS_PROXY), and run the same command again to continue where it stopped.`,
    not_trusted: ({ host, reason }) =>
      `The connection to ${host} is not secure (${reason}). Check that the clock of this computer is right, and whether security software or your company's network inspects the traffic. If so, use another network, or set NODE_EXTRA_CA_CERTS to your company's certificate.`,
    host_blocked: ({ host }) =>
      `${host} points to an address in a private network, so no connection was made. Check your VPN and DNS settings, and run the command again.`,
    server_trouble: ({ host, status }) =>
      `${host} keeps returning an error (${status}). Run the same command again later to continue where it stopped. Newt's API was shut down on 24 November 2026.`,
    strange_answer: ({ reason }) =>
      `The response of the server cannot be read (${reason}). Check the space UID and the address of the server, and run the same command again later.`,
    disk_full: ({ dir }) =>
      `The disk is full. Free some space on the disk${dir ? ` of "${dir}"` : ''}, and run the same command again to continue where it stopped. Data saved so far is kept.`,
    folder_not_writable: ({ dir }) =>
      `The folder "${dir ?? ''}" cannot be written to. Choose another one, such as a folder in your home folder, but not one that iCloud or OneDrive synchronizes.`,
    folder_not_ours: ({ dir }) => `The folder "${dir}" contains other files. Choose an empty or new folder.`,
    folder_of_another: ({ dir, space, app }) =>
      `The folder "${dir}" contains the unfinished run of another app ("${app}" of the space "${space}"). Choose another folder.`,
    folder_in_use: ({ dir, pid }) =>
      `Another run uses the folder "${dir}" (process ${pid}). Wait until it has ended, or choose another folder.`,
    folder_complete: ({ dir }) =>
      `The folder "${dir}" already contains a finished archive. To create a new one, choose another folder.`,
    not_an_archive: ({ dir, zip }) =>
      zip
        ? `The zip is damaged or incomplete (${dir}). Create it again from the folder, or check another copy.`
        : `"${dir}" is not an archive (it has no valid manifest.json). Specify a folder or zip that rescue created.`,
    unsafe_names: ({ dir, reason }) =>
      `A file name in the zip points outside of it (${dir}, ${reason}). The zip was manipulated: do not unpack it, and create it again from the original folder.`,
    not_finished: ({ dir }) =>
      `The run in "${dir}" is not finished. Run the same command again, and check the archive afterwards.`,
    interrupted: () => 'Interrupted. Run the same command again to continue where it stopped.',
    usage: ({ reason }) => `The arguments are not valid (${reason}). See "npm run rescue -- --help".`,
    unexpected: ({ reason }) =>
      `Stopped by an unexpected error (${reason}). Run the same command again. If the error occurs again, report this line.`,
  },
  error: 'Error: ',
  help: `Continues unfinished archives of Newt apps, and verifies archives.

Newt's API was shut down on 24 November 2026, so content that is not in an archive yet cannot be saved. An unfinished
run still fetches missing pictures and files, as long as their hosts respond.

Usage
  npm run rescue                        continues unfinished runs in this folder, step by step (recommended)
  npm run rescue -- verify FOLDER       checks that an archive (a folder or a zip) is intact
  node scripts/rescue.mjs --space UID --app UID --model UID [--model UID]…
  node scripts/rescue.mjs --space UID --app APP:MODEL,MODEL [--app APP:MODEL]…

Tokens come from the environment (they cannot be written into the command)
  IMORI_RESCUE_API_TOKEN   API token (required to read from a server; also reads drafts)
  IMORI_RESCUE_CDN_TOKEN   CDN API token (recommended: without it, the published version of a
                           document with a newer draft is not saved)

Options
  --space UID         space UID
  --app UID           app UID; for several apps --app blog:article,author --app shop:item
                      (write : and , inside a UID as in URLs: %3A, %2C)
  --model UID         model UID (repeatable; models behind references are also searched)
  --out FOLDER        folder of the archive (default newt-SPACE-APP; several apps are put inside it)
  --zip               create a zip file as well
  --asset-host HOST   host of your own storage (repeatable)
  --proxy URL         proxy (default: HTTPS_PROXY; for Newt's hosts and --asset-host)
  --origin URL        read from another server with the same API as Newt
  --concurrency N     number of pictures and files fetched at the same time (1-32, default 8)
  --max-asset-mb N    skip files larger than this (default 5000)
  --lang ja|en        language of messages and report

The API has no list of apps or models. Apps and models that you do not name are not saved.
If one of several apps fails, the others continue. A report on all apps is written at the end
(newt-SPACE-report.md).

Exit codes (for several apps, the worst one)
  0 complete  3 complete, but some things do not exist at Newt  4 some things could not be fetched (run again)
  1 error  2 wrong usage  130 interrupted
`,
  prompts: {
    welcome:
      "Newt's API was shut down on 24 November 2026, so new content cannot be saved. An unfinished run can still fetch its missing pictures and files.",
    hint: 'Press Ctrl-C to stop at any time. Run the command again to continue where it stopped.',
    space: 'Space UID (the xx in the admin URL https://app.newt.so/xx)',
    app: 'App UID (the part after app/ in the admin URL)',
    apiToken: 'API token (not shown; press Enter to continue an unfinished run without the API)',
    cdnToken:
      'CDN API token (not shown; press Enter if you have none)\n  Without it, the published version of a document with a newer draft is not saved.',
    models:
      'UIDs of all models (other models are not saved)\n  Separate them with spaces, commas or line breaks. You can also paste admin URLs.',
    moreModels: (models) =>
      `So far: ${models.join(', ')}\n  Enter the UIDs of models that are missing (press Enter if there are none)`,
    onlyModels: (models) =>
      `Models to save (${models.length}): ${models.join(', ')}\n  Other models are not saved.`,
    keep: 'Press Enter to keep the value in [ ].',
    assetHosts: 'Host of your own storage (press Enter if you have none)',
    out: 'Folder of the archive',
    zip: 'Create a zip file as well?',
    yesNo: ['yes', 'no'],
    checking: 'Checking…',
    found: (name) => `Found the app "${name}".`,
    modelFound: (model, count) =>
      count === 0
        ? `Model "${model}": 0 documents. Check that this is the right UID.`
        : `Model "${model}": ${count === undefined ? 'found' : `${count.toLocaleString('en')} ${count === 1 ? 'document' : 'documents'}`}`,
    required: 'Enter a value.',
    badSpace: 'Use only letters, digits, - and _, or paste the admin URL.',
    badUid: 'Enter a UID or an admin URL (without / or line breaks).',
    badHost: 'Enter only the host name, such as media.example.com.',
    badToken: 'The token contains invalid characters. Copy it again.',
    wasCdnToken:
      'This is the token for Newt CDN API, which is used later. Enter the token for "Newt API" here.',
    wasApiToken:
      'This is the token for Newt API. Enter the token for "Newt CDN API" here, or press Enter if you have none.',
    goingOn:
      'The metadata of the app cannot be read. The run continues and saves the models that it can read.',
    goOn: (dir, space, app) =>
      `There is an unfinished run in "${dir}" (app "${app}" of the space "${space}"). Continue it?`,
    tryAgain: (apps) =>
      `Try ${apps.map((app) => `"${app}"`).join(', ')} again (same settings, continuing where it stopped)?`,
    withoutApi:
      'The API cannot be read. Continue without it, and fetch only the pictures and files that are still missing?',
    noNetwork: (host) => `${host} cannot be reached.`,
    retry: 'Check your connection and press Enter to try again.',
    retryOrSpace: 'Check your connection and press Enter to try again, or correct the space UID',
    nextApp: (apps) =>
      `Apps so far: ${apps.join(', ')}\n  To save another app, enter its UID or URL (press Enter if there is none)`,
    sameApp: 'This app is already in the list.',
    otherSpace: 'This app is in another space. Save it afterwards: run npm run rescue again.',
    sameFolder: 'This folder overlaps with the folder of another app. Choose another folder.',
    unattended: 'There are no more questions. Leave this window open until the run is finished.',
    resume: (dir) => `Continuing in "${dir}".`,
  },
  progress: {
    contents: (done, total) => `Documents ${done.toLocaleString('en')} / ${total.toLocaleString('en')}`,
    assets: (done, total, bytes) =>
      `Pictures and files ${done.toLocaleString('en')} / ${total.toLocaleString('en')} (${bytes})`,
    remaining: (time) => `about ${time} left`,
    minutes: (minutes) => `${minutes} min`,
    seconds: (seconds) => `${seconds} s`,
    waiting: (trouble, seconds) =>
      ({
        busy: `The server is busy: waiting ${seconds} s`,
        refused: `Refused: trying again in ${seconds} s`,
        server: `The server returned an error: trying again in ${seconds} s`,
        slow: `No response: trying again in ${seconds} s`,
        unreadable: `The response was incomplete: trying again in ${seconds} s`,
        broken: `The connection was lost: trying again in ${seconds} s`,
      })[trouble],
    oneOf: (number, all, app) => `\n[${number}/${all}] App "${app}"`,
    looking: 'Checking for changes made during the run',
    writing: 'Writing the archive',
    zipping: 'Creating the zip',
    verifying: (done, total) => `Checking file ${done.toLocaleString('en')} / ${total.toLocaleString('en')}`,
    foundModel: (model, by) => `Found the model "${model}" through the reference "${by}" and added it.`,
    proxy: (host) => `Using the proxy ${host}.`,
    resuming: 'Continuing where the last run stopped.',
    notRead: (place, reason) => `${place} could not be read completely. ${reason} The rest is still saved.`,
    texts: (done, total) => `Reading the Markdown sources ${done} / ${total}`,
    textsNotRead: (place, reason) =>
      `The Markdown sources of ${place} could not be read completely (the HTML is saved). ${reason}`,
  },
  done: {
    complete: (models) => `All documents of the models that you named (${models.join(', ')}) are saved.`,
    gaps: (models) =>
      `The models that you named (${models.join(', ')}) are saved, but some things do not exist at Newt or could not be found (see the report).`,
    partial: () => 'Some things could not be fetched. Run the same command again to retry only these.',
    refused: 'Some files were refused by their host. Wait a while and run the command again.',
    missingModels: (fields) =>
      `Documents that these fields refer to were not found (${fields.join(', ')}). The archive may lack a model.`,
    models: 'Saved models:',
    model: (uid, count) => `${uid} (${count.toLocaleString('en')})`,
    onlyModels: 'Other models are not saved.',
    emptyModels: (models) =>
      `These models contain no documents (${models.join(', ')}). Check that their UIDs are right.`,
    already: (dir) => `It is already saved in "${dir}".`,
    archive: (dir) => `Saved in: ${dir}`,
    report: (path) => `Report: ${path}`,
    zip: (path) => `Zip: ${path}`,
    verify: (dir) => `To verify it: npm run rescue -- verify ${dir}`,
  },
  notInApi: {
    title: 'Not contained in the archive',
    lines: [
      'Messages sent through your forms.',
      'Pictures and files that no document uses.',
      'Settings of your models, such as field types, required fields and choices.',
    ],
  },
  summary: {
    title: (space) => `Newt rescue report: space ${space}`,
    head: ['App', 'Result', 'Documents', 'Pictures and files', 'Missing', 'Report'],
    result: {
      complete: 'saved',
      gaps: 'saved (some things do not exist at Newt)',
      partial: 'incomplete: run it again',
      failed: 'not saved',
    },
    all: (saved, all) =>
      saved === all
        ? `All ${all} apps that you named are saved.`
        : `${saved} of the ${all} apps that you named are saved.`,
    onlyApps: 'Other apps are not saved.',
    written: (path) => `Report on all apps: ${path}`,
    together:
      'To import all apps into Imori at once, pack their folders into one zip and upload it on the page “Migration”.',
  },
  report: {
    title: (app) => `Newt rescue report: ${app}`,
    result: {
      complete: 'All documents of the models that you named are saved.',
      gaps: 'Complete, except for the items under "Missing", which could not be fetched from Newt.',
      partial: '**Not complete.** Run the same command again to retry only what is missing.',
    },
    stopped: (reason) => `The run stopped early. ${reason} All data received before that is in this archive.`,
    source: (space, app) => `App \`${app}\` of the space \`${space}\``,
    time: (from, to) => `Run: ${from} to ${to} (UTC)`,
    contentsTitle: 'Saved documents',
    contentsHead: ['Model', 'All, with drafts', 'Published', 'Note'],
    foundBy: (by) => `found through the reference ${by}`,
    noCdn:
      'There was no CDN token, so published versions are not saved separately. If a document has a newer draft, the archive contains only the draft.',
    assets: (urls, files, bytes) =>
      `Pictures and files: ${urls.toLocaleString('en')} URLs, ${files.toLocaleString('en')} files, ${bytes}`,
    gone: (count) =>
      `Documents that disappeared from Newt during the run, and that the archive keeps: ${count.toLocaleString('en')}.`,
    gapsTitle: 'Missing',
    noGaps: 'Nothing.',
    missingAssets: 'Pictures and files',
    missingReferences: 'Referenced documents',
    unread: (place, saved, reason) =>
      `${place}: not read completely (${reason}). Saved documents: ${saved.toLocaleString('en')}.`,
    unreadReason: (reason) =>
      ({
        model_not_found: 'the model was not found',
        not_allowed: 'not allowed for this token',
        server_trouble: 'the server returned errors',
        strange_answer: 'the responses could not be read',
        stopped: 'the run stopped before',
      })[reason] ?? reason,
    hugeContents: 'Documents that are too large',
    hugeSaved: 'too large: only its text is saved, not its pictures',
    shortCount: (place, count) =>
      `${place}: the server counted ${count.toLocaleString('en')} more documents than it returned.`,
    hugeLost: 'not saved',
    addModels: (field, count) =>
      `${count.toLocaleString('en')} documents referenced by ${field} are in none of the saved models. Their text is contained in the documents that refer to them, but their pictures may be missing.`,
    emptyModel: 'no documents',
    untitled: '(no title)',
    usedBy: (uses) => `Used by (${uses.toLocaleString('en')})`,
    appMeta: 'icon or cover of the app',
    more: (count) => `and ${count.toLocaleString('en')} more (all are in gaps.ndjson)`,
    checkTitle: 'How to verify the archive',
    checkPlace: 'THIS_FOLDER',
    check: 'This command checks all hashes, counts, references and pictures again.',
    careTitle: 'Where to store the archive',
    care: 'The archive contains drafts, so do not store it in a public place. Keep copies in several places, such as another disk or a cloud storage. `docs/archive-format.md` describes the format.',
    reason: (reason) =>
      ({
        '404': 'not found (404)',
        '401': 'refused (401)',
        '403': 'refused (403)',
        '410': 'removed (410)',
        not_tried: 'not fetched yet (the run stopped before)',
        slow: 'too slow',
        too_large: 'too large',
        blocked_address: 'address in a private network',
        bad_url: 'invalid URL',
        too_many_redirects: 'too many redirects',
        host: 'host cannot be reached',
        not_the_file: 'an error or sign-in page was returned instead of the file',
        other_size: 'a different size each time',
      })[reason] ?? reason,
    differingAssets: 'Pictures and files with a different size',
    differingNote:
      'Their size differs from the one that Newt recorded. Every download returned the same bytes, so they are saved unchanged. Check that they open.',
    savedWithout: (fields) => `saved, except for these fields: ${fields}`,
    foreignImages: (hosts) =>
      `Pictures in texts that come from these hosts are not Newt's and were not saved: ${hosts}. If a host is your own storage, add it with \`--asset-host\` and run the command again.`,
    differs: (bytes, said) =>
      `${bytes.toLocaleString('en')} bytes (${said.toLocaleString('en')} bytes according to Newt)`,
  },
  verify: {
    ok: (files, contents) =>
      `No problems: ${files.toLocaleString('en')} files and ${contents.toLocaleString('en')} documents checked.`,
    listed: (count) =>
      `Things that were missing at Newt, as listed in gaps.ndjson: ${count.toLocaleString('en')}.`,
    partial: 'This archive is not complete. Run "npm run rescue" to fetch missing files.',
    signed: (key) => `Signed with the key ${key}.`,
    unsigned: 'Not signed.',
    bad: (count) => `Problems found: ${count.toLocaleString('en')}.`,
    what: 'Use another copy of the archive.',
    problems: {
      lost: 'file is missing',
      size: 'size differs',
      hash: 'content has changed',
      extra: 'file is not listed',
      count: 'number of documents differs',
      line: 'unreadable line',
      repeated: 'duplicate id',
      reference: 'referenced document is missing',
      asset: 'picture or file is missing',
      name: 'file name does not match its content',
      model: 'document of another model',
      manifest: 'manifest.json contradicts itself',
      signature: 'changed after it was signed',
    },
  },
}
