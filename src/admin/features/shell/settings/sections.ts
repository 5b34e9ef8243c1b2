import {
  IconAdjustments,
  IconClockPlay,
  IconDatabase,
  IconFileExport,
  IconFileImport,
  IconHistory,
  IconId,
  IconKey,
  IconMail,
  IconPhotoCog,
  IconShield,
  IconStack2,
  IconTemplate,
  IconTransferIn,
  IconUserPlus,
  IconUserQuestion,
  IconUserShield,
  IconUsers,
  IconUsersGroup,
  IconUserUp,
  IconWebhook,
  type TablerIcon,
} from '@tabler/icons-react'
import type { LinkProps } from '@tanstack/react-router'
import type { useTranslations } from 'use-intl'
import type { AppRight, Right } from '#shared/permissions.ts'

/** A translation key without arguments. */
type TextKey = Parameters<ReturnType<typeof useTranslations<never>>>[0]

/** A settings page as shown in the list and the search. */
export interface SettingsSection<R = never> {
  /** Path of the page. The routes of this path and of paths below it are children of the area's route. */
  to: NonNullable<LinkProps['to']>
  group: 'general' | 'people' | 'security' | 'integration' | 'media' | 'data'
  icon: TablerIcon
  title: TextKey
  /** The right that a user needs to see the section. Omitted: every user who can open the area sees it. */
  right?: R
  /** Further search terms, in Japanese and English. Terms in kanji need their reading in kana, too. */
  words: string
}

// One line per section, in the order of the lists.

// biome-ignore format: one line for each section
/** The settings of a space. */
export const spaceSections: readonly SettingsSection<Right>[] = [
  { to: '/$p/-/settings', group: 'general', icon: IconAdjustments, title: 'spaces.settings.general', words: '基本情報 きほんじょうほう スペース設定 せってい 名前 なまえ UID タイムゾーン 時間帯 じかんたい スペースの削除 さくじょ general space settings name time zone timezone delete' },
  { to: '/$p/-/members', group: 'people', icon: IconUsers, title: 'members.title', words: 'メンバー ユーザー 利用者 りようしゃ 人 ひと 参加者 さんかしゃ 退出 たいしゅつ members people users accounts leave' },
  { to: '/$p/-/invitations', group: 'people', icon: IconUserPlus, title: 'invitations.title', right: 'member.manage', words: 'しょうたい 招待リンク メンバーを追加 ついか invitations invite link add people' },
  { to: '/$p/-/roles', group: 'people', icon: IconUserShield, title: 'roles.title', words: 'ロール 権限 けんげん 役割 やくわり roles permissions rights' },
  { to: '/$p/-/security', group: 'security', icon: IconShield, title: 'security.rules', right: 'security.manage', words: 'アクセスの条件 アクセスのじょうけん セキュリティ 2段階認証 にだんかいにんしょう IPアドレス せいげん 制限 セッション access rules security ip addresses allowlist two-factor 2fa mfa session' },
  { to: '/$p/-/sso', group: 'security', icon: IconId, title: 'sso.title', right: 'security.manage', words: 'シングルサインオン ログイン 証明書 しょうめいしょ ドメイン single sign-on sso saml oidc openid connect entra google workspace okta keycloak identity provider' },
  { to: '/$p/-/group-roles', group: 'security', icon: IconUsersGroup, title: 'groupRoles.title', right: 'security.manage', words: 'グループとロール ディレクトリ けんげん 権限 わりあて groups and roles mapping directory' },
  { to: '/$p/-/scim', group: 'security', icon: IconUserUp, title: 'scim.title', right: 'security.manage', words: 'スキム 自動 じどう プロビジョニング ディレクトリ 社員名簿 しゃいんめいぼ scim provisioning directory entra okta' },
  { to: '/$p/-/audit-log', group: 'security', icon: IconHistory, title: 'auditLog.title', right: 'audit.read', words: '監査ログ かんさログ 履歴 りれき 操作の記録 きろく audit log history activity' },
  { to: '/$p/-/api-keys', group: 'integration', icon: IconKey, title: 'tokens.title', right: 'token.manage', words: 'APIキー エーピーアイキー トークン 連携 れんけい 開発 かいはつ api keys tokens cdn developers' },
  { to: '/$p/-/webhooks', group: 'integration', icon: IconWebhook, title: 'webhooks.title', right: 'webhook.manage', words: 'ウェブフック 通知 つうち 自動 じどう ビルド デプロイ 連携 れんけい スラック webhooks notifications build deploy hook vercel netlify cloudflare pages github gitlab amplify slack discord teams chatwork' },
  { to: '/$p/-/storage', group: 'media', icon: IconDatabase, title: 'externalStorage.title', right: 'storage.manage', words: '外部ストレージ がいぶストレージ 保存先 ほぞんさき バケット external storage bucket s3 r2 gcs minio files' },
  { to: '/$p/-/images', group: 'media', icon: IconPhotoCog, title: 'imageSettings.title', right: 'storage.manage', words: '画像の配信 がぞうのはいしん 画像の最適化 さいてきか 変換 へんかん 署名 しょめい image delivery optimisation optimization transforms webp avif quality signature' },
  { to: '/$p/-/moves', group: 'data', icon: IconTransferIn, title: 'moves.title', right: 'app.create', words: '移行 いこう インポート 取り込み とりこみ 引っ越し ひっこし アーカイブ ニュート ワードプレス migration move import archive newt wordpress contentful microcms' },
  { to: '/$p/-/export', group: 'data', icon: IconFileExport, title: 'appExports.title', right: 'app.manage', words: '書き出し かきだし エクスポート バックアップ ダウンロード export backup download zip' },
  { to: '/$p/-/jobs', group: 'data', icon: IconClockPlay, title: 'jobs.title', words: 'ジョブ しょり 処理の状況 じょうきょう 進み具合 バックグラウンド jobs progress background tasks' },
]

// biome-ignore format: one line for each section
/** The settings of an app. */
export const appSections: readonly SettingsSection<AppRight>[] = [
  { to: '/$p/$a/-/settings', group: 'general', icon: IconAdjustments, title: 'apps.general', right: 'app.manage', words: '基本情報 きほんじょうほう App設定 せってい 名前 なまえ UID アイコン カバー 公開範囲 こうかいはんい 非公開 ひこうかい 複製 ふくせい テンプレート Appの削除 さくじょ general app settings name icon cover access visibility private duplicate template delete' },
  { to: '/$p/$a/-/template', group: 'general', icon: IconTemplate, title: 'templates.update.title', right: 'app.manage', words: 'テンプレートの更新 テンプレートのこうしん 新しいバージョン template update version' },
  { to: '/$p/$a/-/members', group: 'people', icon: IconUsers, title: 'members.title', words: 'メンバー ユーザー 利用者 りようしゃ 人 ひと 参加者 さんかしゃ members people users' },
  { to: '/$p/$a/-/invitations', group: 'people', icon: IconUserPlus, title: 'invitations.title', right: 'app.manage', words: 'しょうたい 招待リンク invitations invite link add people' },
  { to: '/$p/$a/-/requests', group: 'people', icon: IconUserQuestion, title: 'accessRequests.title', right: 'app.manage', words: '参加リクエスト さんかリクエスト 申請 しんせい 承認 しょうにん requests access join approve' },
  { to: '/$p/$a/-/roles', group: 'people', icon: IconUserShield, title: 'roles.title', words: 'ロール 権限 けんげん 役割 やくわり roles permissions rights' },
  { to: '/$p/$a/-/import', group: 'data', icon: IconFileImport, title: 'moves.into.of', right: 'app.manage', words: 'インポート 取り込み とりこみ アーカイブ import archive newt wordpress contentful microcms csv' },
  { to: '/$p/$a/-/export', group: 'data', icon: IconFileExport, title: 'appExports.title', right: 'app.manage', words: '書き出し かきだし エクスポート バックアップ ダウンロード export backup download zip' },
]

// biome-ignore format: one line for each section
/** The settings of the installation, for its admins. */
export const installationSections: readonly SettingsSection[] = [
  { to: '/admin/settings', group: 'general', icon: IconAdjustments, title: 'installation.settings.title', words: '登録とスペースの作成 アカウントの登録 sign-up and spaces new accounts とうろく 登録 サインアップ しんきさんか Imoriの設定 せってい スペースの作成 さくせい sign-up signup registration imori settings create spaces' },
  { to: '/admin/spaces', group: 'people', icon: IconStack2, title: 'installation.spaces.title', words: 'スペースの一覧 いちらん 容量 ようりょう all spaces size storage' },
  { to: '/admin/accounts', group: 'people', icon: IconUsers, title: 'installation.accounts.title', words: 'アカウント ユーザー 人 ひと 一覧 いちらん 2段階認証 にだんかいにんしょう リセット ログインできない accounts users people two-factor reset locked out' },
  { to: '/admin/mails', group: 'data', icon: IconMail, title: 'installation.mails.title', words: 'メールのそうしん 送信 SMTP emails mail sent' },
  { to: '/admin/jobs', group: 'data', icon: IconClockPlay, title: 'jobs.title', words: 'ジョブ しょり 処理の状況 じょうきょう 進み具合 バックグラウンド jobs progress background tasks' },
  { to: '/admin/audit-log', group: 'security', icon: IconHistory, title: 'auditLog.title', words: '監査ログ かんさログ 履歴 りれき 操作の記録 きろく audit log history activity' },
]
