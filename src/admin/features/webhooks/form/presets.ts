import type { WebhookEvent } from '#shared/contract/webhooks.ts'
import type { Language } from '#shared/languages.ts'

type Texts = Record<Language, string>

interface PresetHeader {
  name: string
  /** The header's value. Empty, or a scheme with a blank: the user adds the secret. */
  value: string
  isSecret: boolean
}

export interface Preset {
  /** The name of the service. */
  name: string
  kind: 'build' | 'chat'
  /** Instructions to get the URL, step by step. */
  steps: Record<Language, readonly string[]>
  /** Code to copy, shown below the first step. */
  snippet?: string
  /** An example of the URL to enter. Parts in capitals are placeholders that the user replaces. */
  address: string
  headers: readonly PresetHeader[]
  /** A custom body by language. null: the default body. */
  body: Texts | null
}

/**
 * Events that change the data of a built site: documents that are published, unpublished, deleted or reordered, and
 * finished imports.
 */
export const buildEvents: readonly WebhookEvent[] = [
  'document.published',
  'document.unpublished',
  'document.deletedPublished',
  'document.orderChanged',
  'import.finished',
]
/** Events for chats. The body of these presets describes any event, but most teams want few messages. */
export const chatEvents: readonly WebhookEvent[] = ['document.published']

/**
 * Time in seconds in which events are combined into one request. Builds take long; chat messages are sent one by one.
 */
export const batchSecondsOf = { build: 60, chat: 0 } as const

const chatBody = (shape: (text: string) => object): Texts => ({
  ja: JSON.stringify(shape('{{summary.ja}}'), null, 2),
  en: JSON.stringify(shape('{{summary.en}}'), null, 2),
})

/** The services that can be chosen. Each fills in the form. */
export const presets = {
  vercel: {
    name: 'Vercel',
    kind: 'build',
    steps: {
      ja: [
        'Vercelでプロジェクトを開き、「Settings」→「Git」を選びます。',
        '「Deploy Hooks」に名前（例：Imori）とブランチ（例：main）を入れて、「Create Hook」を押します。',
        'できたURLをコピーして、下の「URL」に貼り付けます。',
      ],
      en: [
        'Open the project on Vercel and choose Settings → Git.',
        'Under Deploy Hooks, enter a name (such as Imori) and a branch (such as main) and press Create Hook.',
        'Copy the URL and paste it into the URL below.',
      ],
    },
    address: 'https://api.vercel.com/v1/integrations/deploy/…',
    headers: [],
    body: sameBody({}),
  },
  netlify: {
    name: 'Netlify',
    kind: 'build',
    steps: {
      ja: [
        'Netlifyでプロジェクトを開き、「Project configuration」→「Developer settings」（または「Build & deploy」）→「Continuous deployment」を選びます。',
        '「Build hooks」の「Add build hook」を押し、名前とブランチを決めて保存します。',
        'できたURLをコピーして、下の「URL」に貼り付けます。',
      ],
      en: [
        'Open the project on Netlify and choose Project configuration → Developer settings (or Build & deploy) → Continuous deployment.',
        'Under Build hooks, press Add build hook, choose a name and a branch, and save.',
        'Copy the URL and paste it into the URL below.',
      ],
    },
    address: 'https://api.netlify.com/build_hooks/…',
    headers: [],
    body: sameBody({}),
  },
  cloudflarePages: {
    name: 'Cloudflare Pages',
    kind: 'build',
    steps: {
      ja: [
        'Cloudflareのダッシュボードで「Workers & Pages」からプロジェクトを開き、「設定」→「ビルド」を選びます。',
        '「デプロイフック」を追加し、名前とブランチを決めて保存します。',
        'できたURLをコピーして、下の「URL」に貼り付けます。',
      ],
      en: [
        'On the Cloudflare dashboard, open the project under Workers & Pages and choose Settings → Builds.',
        'Add a deploy hook with a name and a branch, and save.',
        'Copy the URL and paste it into the URL below.',
      ],
    },
    address: 'https://api.cloudflare.com/client/v4/pages/webhooks/deploy_hooks/…',
    headers: [],
    body: sameBody({}),
  },
  github: {
    name: 'GitHub Actions',
    kind: 'build',
    steps: {
      ja: [
        'リポジトリのデフォルトブランチにあるワークフローに、次の行を加えます。「on:」がすでにあるときは、その下に「repository_dispatch:」からの2行を加えます。',
        'GitHubで、自分のアイコン→「Settings」→「Developer settings」→「Personal access tokens」→「Fine-grained tokens」を開き、そのリポジトリだけを対象に「Contents: Read and write」の権限を持つトークンを作ります。',
        '下のURLの OWNER と REPO を、リポジトリのものに書き換えます。',
        'ヘッダー「Authorization」の値の「Bearer 」の後ろに、トークンを貼り付けます。',
      ],
      en: [
        'Add these lines to a workflow on the default branch of the repository. If it already has “on:”, add the two lines from “repository_dispatch:” below it.',
        'On GitHub, open your profile picture → Settings → Developer settings → Personal access tokens → Fine-grained tokens. Create a token for that repository only, with the permission “Contents: Read and write”.',
        'Replace OWNER and REPO in the URL below with those of the repository.',
        'Paste the token after “Bearer ” in the value of the header Authorization.',
      ],
    },
    snippet: 'on:\n  repository_dispatch:\n    types: [imori]',
    address: 'https://api.github.com/repos/OWNER/REPO/dispatches',
    headers: [
      { name: 'Accept', value: 'application/vnd.github+json', isSecret: false },
      { name: 'X-GitHub-Api-Version', value: '2022-11-28', isSecret: false },
      { name: 'Authorization', value: 'Bearer ', isSecret: true },
    ],
    body: sameBody({
      event_type: 'imori',
      client_payload: {
        event: '{{event}}',
        app: '{{app.uid}}',
        model: '{{model.uid}}',
        timestamp: '{{timestamp}}',
      },
    }),
  },
  gitlab: {
    name: 'GitLab CI/CD',
    kind: 'build',
    steps: {
      ja: [
        'GitLabでプロジェクトを開き、「Settings」→「CI/CD」→「Pipeline trigger tokens」で新しいトークンを作ります。',
        '下のURLの PROJECT_ID をプロジェクトID、main をブランチ、TOKEN を作ったトークンに書き換えます。',
      ],
      en: [
        'Open the project on GitLab and create a token under Settings → CI/CD → Pipeline trigger tokens.',
        'In the address below, replace PROJECT_ID with the ID of the project, main with the branch, and TOKEN with the new token.',
      ],
    },
    address: 'https://gitlab.com/api/v4/projects/PROJECT_ID/ref/main/trigger/pipeline?token=TOKEN',
    headers: [],
    body: sameBody({}),
  },
  amplify: {
    name: 'AWS Amplify',
    kind: 'build',
    steps: {
      ja: [
        'Amplifyのコンソールでアプリを開き、「ホスティング」→「ビルド設定」を選びます。',
        '「受信ウェブフック」の「ウェブフックを作成」を押し、名前とビルドするブランチを決めて作ります。',
        '表示されたURLをコピーして、下の「URL」に貼り付けます。',
      ],
      en: [
        'On the Amplify console, open the app and choose Hosting → Build settings.',
        'Under Incoming webhooks, press Create webhook and choose a name and the branch to build.',
        'Copy the URL of the webhook and paste it into the URL below.',
      ],
    },
    address: 'https://webhooks.amplify.ap-northeast-1.amazonaws.com/prod/webhooks?id=…',
    headers: [],
    body: sameBody({}),
  },
  slack: {
    name: 'Slack',
    kind: 'chat',
    steps: {
      ja: [
        'api.slack.com/apps で「Create New App」→「From scratch」を選び、アプリを作ります。',
        '「Incoming Webhooks」をオンにし、「Add New Webhook」で投稿先のチャンネルを選びます。',
        'できたWebhook URLをコピーして、下の「URL」に貼り付けます。',
      ],
      en: [
        'At api.slack.com/apps, choose Create New App → From scratch.',
        'Turn on Incoming Webhooks, press Add New Webhook and choose the channel.',
        'Copy the webhook URL and paste it into the URL below.',
      ],
    },
    address: 'https://hooks.slack.com/services/…',
    headers: [],
    // Slack expands mentions such as <!channel> in `text`, but not in plain text. Notifications show `text`.
    body: chatBody((text) => ({
      text: 'Imori',
      blocks: [{ type: 'section', text: { type: 'plain_text', text } }],
    })),
  },
  discord: {
    name: 'Discord',
    kind: 'chat',
    steps: {
      ja: [
        'Discordで「サーバー設定」→「連携サービス」→「ウェブフック」を開きます。',
        '「新しいウェブフック」を押し、投稿先のチャンネルを選びます。',
        '「ウェブフックURLをコピー」を押し、下の「URL」に貼り付けます。',
      ],
      en: [
        'On Discord, open Server Settings → Integrations → Webhooks.',
        'Press New Webhook and choose the channel.',
        'Press Copy Webhook URL and paste it into the URL below.',
      ],
    },
    address: 'https://discord.com/api/webhooks/…',
    headers: [],
    // Titles must not notify all members of a channel.
    body: chatBody((content) => ({ content, allowed_mentions: { parse: [] } })),
  },
  teams: {
    name: 'Microsoft Teams',
    kind: 'chat',
    steps: {
      ja: [
        'Teamsで投稿先のチャネルの「…」→「ワークフロー」を開きます。',
        '「Webhook」で検索し、Webhookを受信したときにチャネルへ投稿するテンプレートを選んで、チームとチャネルを決めて追加します。',
        '表示されたURLをコピーして、下の「URL」に貼り付けます。',
      ],
      en: [
        'On Teams, open “…” of the channel → Workflows.',
        'Search for “webhook”, choose the template that posts to a channel when a webhook request is received, and add it with the team and channel.',
        'Copy the URL and paste it into the URL below.',
      ],
    },
    address: 'https://….powerplatform.com/…/workflows/…',
    headers: [],
    body: chatBody((text) => ({
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          content: {
            $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
            type: 'AdaptiveCard',
            version: '1.4',
            body: [{ type: 'TextBlock', wrap: true, text }],
          },
        },
      ],
    })),
  },
  chatwork: {
    name: 'Chatwork',
    kind: 'chat',
    steps: {
      ja: [
        'Chatworkの画面右上の利用者名から「サービス連携」→「API Token」を開き、APIトークンを表示します。契約によっては、先に組織の管理者へ利用を申請します。',
        '投稿先のチャットを開き、ブラウザーのアドレスバーの「#!rid」に続く数字（ルームID）を控えます。',
        '下のURLの ROOM_ID を、その数字に書き換えます。',
        'ヘッダー「x-chatworktoken」の値にAPIトークンを入れます。メッセージは、そのトークンの持ち主の名前で投稿されます。',
      ],
      en: [
        'On Chatwork, open Service Integration → API Token from your name at the top right and show the token. Some plans need the approval of an administrator first.',
        'Open the chat and note the digits after “#!rid” in the address bar: the room ID.',
        'Replace ROOM_ID in the URL below with those digits.',
        'Enter the API token as the value of the header x-chatworktoken. Messages are posted in the name of its owner.',
      ],
    },
    address: 'https://api.chatwork.com/v2/rooms/ROOM_ID/messages',
    headers: [
      // The API only accepts forms.
      { name: 'Content-Type', value: 'application/x-www-form-urlencoded', isSecret: false },
      { name: 'x-chatworktoken', value: '', isSecret: true },
    ],
    body: chatBody((body) => ({ body })),
  },
} as const satisfies Record<string, Preset>

export type PresetName = keyof typeof presets
export const presetNames = Object.keys(presets) as PresetName[]

const templateParts = new Set(
  Object.values(presets).flatMap(({ address }): readonly string[] => address.match(/\b[A-Z_]{4,}\b/g) ?? []),
)

/** Returns the first part of a preset's URL that the user has not replaced: a name in capitals, or `…`. null: none. */
export function unreplacedPart(url: string): string | null {
  if (url.includes('…')) return '…'
  // The segments of the path and the values of the query.
  const parts = [...url.matchAll(/[/=]([^/?&=]+)(?=[/?&]|$)/g)].map(([, part = '']) => part)
  return parts.find((part) => templateParts.has(part)) ?? null
}

function sameBody(value: object): Texts {
  const text = JSON.stringify(value, null, 2)
  return { ja: text, en: text }
}
