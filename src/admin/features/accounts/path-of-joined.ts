/** Returns the path of the app or space that the user joined by an invitation. */
export const pathOfJoined = ({ project, app }: { project: { uid: string }; app: { uid: string } | null }) =>
  `/${[project.uid, ...(app ? [app.uid] : [])].map(encodeURIComponent).join('/')}`
